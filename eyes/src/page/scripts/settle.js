// Waits until the page is complete and has been quiet for a while, at most `longest` milliseconds.
// Gives true when it came to rest.
({ longest }) => new Promise((done) => {
  const start = performance.now();
  let last = start;      // when something last changed
  let lastLength = -1;   // how much text there was then
  let shown = null;      // how much a reader sees, as far as it is known since then
  let isChanged = false;
  let measured = start;  // when the text was last measured, which takes long where there is much
  let turns = 0;         // how often the page's own scripts have had their turn since something last changed
  const stir = () => { last = performance.now(); shown = null; turns = 0; };

  // A clock or a ticker changes for ever. After a while only changes that a reader would miss count.
  const length = () => (document.body ? document.body.textContent.length : 0);
  const changed = () => { if (performance.now() - start < 1500) stir(); else isChanged = true; };
  const measure = () => {
    if (!isChanged || performance.now() - measured < 100) return;
    isChanged = false;
    const now = length();
    measured = performance.now();
    if (Math.abs(now - lastLength) > Math.min(2000, Math.max(20, lastLength / 50))) { lastLength = now; stir(); }
  };
  const mutations = new MutationObserver(changed);
  mutations.observe(document, { subtree: true, childList: true, characterData: true });
  const resources = new PerformanceObserver(stir);
  resources.observe({ type: 'resource' });

  const pending = () => document.readyState !== 'complete'
    || (document.fonts && document.fonts.status === 'loading')
    || [...document.images].slice(0, 200).some((image) => !image.complete && image.loading !== 'lazy');

  // A page without scripts changes no more. One whose scripts have shown nothing yet waits for an answer
  // that can't be seen from here.
  const quiet = () => {
    if (document.scripts.length === 0) return 60;
    if (shown === null) shown = document.body ? document.body.innerText.trim().length : 0;
    return shown < 80 ? 900 : 200;
  };

  const timer = setInterval(() => {
    measure();
    turns += 1;
    if (pending()) stir();
    const now = performance.now();
    // Where a browser has little time, a page that goes on has had little of it, too.
    const hadTime = () => now - last >= quiet() && turns >= Math.min(quiet(), 200) / 25;
    const rested = now - last >= 60 && hadTime();
    if (!rested && now - start < longest) return;
    clearInterval(timer);
    mutations.disconnect();
    resources.disconnect();
    done(rested);
  }, 20);
})
