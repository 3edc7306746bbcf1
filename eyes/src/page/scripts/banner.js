// Looks for a banner that asks for consent to cookies, and clicks the way out of it that gives away least.
// Gives {clicked: the kind of phrase or null, frames: places of foreign frames that may hold a banner}.
//
// An element is clicked only if all of this is true: it is visible, its label is one of our phrases as a whole,
// it stands in something that looks like a banner and speaks of cookies, and it is no link and no form that
// leads elsewhere. A page can build just that on purpose; all it gains is a click on itself, which its
// scripts could have made as well. The click is one of a script's: the browser lets it open no windows.
({ phrases, framed }) => {
  const order = ['reject', 'necessary', 'close', 'accept'];
  const mostElements = 60000;
  const mostWords = 6000;      // a banner that is longer is the page itself

  const normal = (text) => text.normalize('NFKC').toLowerCase().replace(/[’`´]/g, "'").replace(/\s+/g, ' ').trim();
  const bare = (text) => normal(text).replace(/^[\s›»→>✓✔.!:·•]+|[\s›»→>✓✔.!:·•。!]+$/g, '');
  const kinds = new Map();
  for (const kind of order) for (const phrase of phrases[kind]) kinds.set(bare(phrase) || normal(phrase), kind);
  const about = phrases.about.map(normal);
  const containers = phrases.containers.join(',');

  // Every document and open shadow root that can be seen from here.
  const roots = [document];
  const foreign = [];
  let walked = 0;
  for (let at = 0; at < roots.length && roots.length < 300; at += 1) {
    for (const element of roots[at].querySelectorAll('*')) {
      walked += 1;
      if (walked > mostElements) break;
      if (element.shadowRoot) roots.push(element.shadowRoot);
      if (element.tagName !== 'IFRAME') continue;
      let inner = null;
      try { inner = element.contentDocument; } catch { /* another site's */ }
      if (inner) roots.push(inner); else foreign.push(element);
    }
  }

  const up = (node) => {
    if (node.parentElement) return node.parentElement;
    const root = node.getRootNode();
    if (root.host) return root.host;
    try { return root.defaultView ? root.defaultView.frameElement : null; } catch { return null; }
  };
  const styleOf = (element) => element.ownerDocument.defaultView.getComputedStyle(element);
  const laidOver = (element) => {
    if (['BODY', 'HTML'].includes(element.tagName)) return false;
    if (element.matches('dialog[open], [role=dialog], [role=alertdialog], [aria-modal=true]')) return true;
    const style = styleOf(element);
    return style.position === 'fixed' || style.position === 'sticky'
      || (style.position === 'absolute' && Number(style.zIndex) >= 10);
  };
  const known = (element) => element.matches(containers);
  // What is in a frame or a shadow root is no part of its holder's text.
  const words = (element) => {
    let text = element.innerText || '';
    if (element.shadowRoot) for (const child of element.shadowRoot.children) text += ' ' + (child.innerText || '');
    if (element.tagName === 'IFRAME') { try { text += ' ' + element.contentDocument.body.innerText; } catch { /* another site's */ } }
    return text;
  };
  const speaks = (text) => { const said = normal(text); return about.some((word) => said.includes(word)); };
  // Each place is looked at once: a page may have a button in each of many paragraphs, and all of them stand in the page.
  const seen = new Map();
  const look = (place) => {
    let facts = seen.get(place);
    if (!facts) {
      const text = words(place);
      const isKnown = known(place);
      facts = { length: text.length, speaks: speaks(text), isKnown, isOver: !isKnown && laidOver(place), up: up(place) };
      seen.set(place, facts);
    }
    return facts;
  };
  const inBanner = (element) => {
    let heard = { length: 0, speaks: false };
    for (let place = element, steps = 0; place && steps < 60; steps += 1) {
      const facts = look(place);
      if (facts.length > heard.length) heard = facts;
      if (heard.speaks && (facts.isKnown || (facts.isOver && heard.length <= mostWords))) return true;
      place = facts.up;
    }
    // The whole of a foreign frame is the banner: that it lies over the page was seen from outside.
    return framed && heard.length <= mostWords && document.body !== null && look(document.body).speaks;
  };

  const visible = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 2 && box.height > 2
      && element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  };
  const samePage = (address) => {
    try {
      const to = new URL(address, location.href);
      if (!['http:', 'https:'].includes(to.protocol)) return to.protocol === 'javascript:';
      to.hash = '';
      const here = new URL(location.href);
      here.hash = '';
      return to.href === here.href;
    } catch { return false; }
  };
  const staysHere = (element) => {
    const link = element.closest('a[href]');
    if (link && (!samePage(link.href) || link.target === '_blank')) return false;
    const form = element.form || element.closest('form');
    if (!form || !['submit', 'image'].includes(element.type)) return true;
    // A form's own fields may be called like its properties, so these are asked past them.
    const of = (whose, name) => Element.prototype.getAttribute.call(whose, name);
    if ((of(element, 'formtarget') || of(form, 'target')) === '_blank') return false;
    try { return new URL(of(element, 'formaction') || of(form, 'action') || '', location.href).host === location.host; }
    catch { return false; }
  };
  // The length is asked first: the text of a large link is dear.
  const labels = (element) => element.textContent.length > 300 ? [] : [element.innerText, element.value, element.getAttribute('aria-label'), element.title]
    .filter((label) => typeof label === 'string' && label.length > 0 && label.length < 80);
  const kindOf = (element) => {
    for (const label of labels(element)) {
      const kind = kinds.get(bare(label)) || kinds.get(normal(label));
      if (kind) return kind;
      // The words on it count before those that only a screen reader says.
      if (label === element.innerText && bare(label)) return null;
    }
    return null;
  };

  const clickable = 'button, a, [role=button], [role=link], input[type=button], input[type=submit], summary';
  let best = null;
  for (const root of roots) {
    for (const element of root.querySelectorAll(clickable)) {
      const kind = kindOf(element);
      if (!kind || (best && order.indexOf(best.kind) <= order.indexOf(kind))) continue;
      if (visible(element) && staysHere(element) && inBanner(element)) best = { element, kind };
    }
  }
  if (best) best.element.click();

  const place = (frame) => {
    for (let at = 0; at < window.length; at += 1) if (window[at] === frame.contentWindow) return at;
    return -1;
  };
  const over = (frame) => {
    for (let at = frame, steps = 0; at && steps < 60; at = up(at), steps += 1) if (known(at) || laidOver(at)) return true;
    return false;
  };
  const frames = best ? [] : foreign.filter((frame) => visible(frame) && over(frame)).map(place).filter((at) => at >= 0).slice(0, 8);
  return { clicked: best ? best.kind : null, frames };
}
