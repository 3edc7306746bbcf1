// Events of the server, as they come.

// How long the first event may take once the server has answered, in milliseconds.
const HELD = 8000;

// After how long a silence a connection counts as dead, in milliseconds: the server says every 15 seconds that it is there. A
// machine that slept, or is in another network now, learns of it by nothing else.
const SILENT = 40000;

// Hears the events of `path`, each by the function in `hears` that has its name, and gives what ends that. The browser connects
// again by itself and names the last event that it has. `stands` learns why nothing is heard: `offline`; `held`, by something in
// between; or `closed`, because somebody else answers or the connection is dead, and then it is for the caller to try anew. It
// learns null once something is heard.
export function stream(path, hears, stands) {
  const source = new EventSource(path);
  let [timer, why] = [null, ""];
  const settle = (now) => {
    if (now !== why) stands(now);
    why = now;
  };
  const wait = (milliseconds, then) => {
    clearTimeout(timer);
    timer = setTimeout(then, milliseconds);
  };
  const end = () => {
    clearTimeout(timer);
    source.close();
  };
  const alive = () => {
    settle(null);
    wait(SILENT, () => {
      end();
      settle("closed");
    });
  };
  source.addEventListener("alive", alive);
  for (const [kind, hear] of Object.entries(hears)) {
    source.addEventListener(kind, (event) => {
      alive();
      hear(JSON.parse(event.data));
    });
  }
  source.addEventListener("open", () => wait(HELD, () => settle("held")));
  source.addEventListener("error", () => {
    clearTimeout(timer);
    settle(source.readyState === EventSource.CLOSED ? "closed" : "offline");
  });
  return end;
}
