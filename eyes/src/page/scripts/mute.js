// Runs in the page's own world before its first script: dialogs that nobody is there to answer are answered
// with "no" at once. They would stop the page, and the driver with it. And a part of the page that its scripts would close
// (a shadow root) stays open: what a person can see can be read. A page that undoes this hides its own text.
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

  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachShadow(how) { return attach.call(this, { ...how, mode: 'open' }); };
})()
