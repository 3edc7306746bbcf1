// Runs in the page's own world before its first script: dialogs that nobody is there to answer are answered
// with "no" at once. They would stop the page, and the driver with it.
(() => {
  // A script that asks again and again would never end; an exception ends it.
  const most = 50;
  let asked = 0;
  const no = (answer) => () => {
    asked += 1;
    if (asked > most) throw new Error('nobody is here to answer');
    return answer;
  };
  window.alert = no(undefined);
  window.confirm = no(false);
  window.prompt = no(null);
  window.print = no(undefined);
})()
