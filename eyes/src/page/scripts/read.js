// Reads the page as a person would: its visible text, with open shadow roots and frames of its own site. Gives the places of
// the frames of other sites that a person would see, which can't be read from here.
// What was read stays here, in our own world, and is fetched in parts (part.js).
({ most, mostHtml }) => {
  const mostNodes = 2000000;
  const mostFrames = 50;
  const mostRounds = 8;      // how deep what is left out may stand in one another
  const unread = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'TITLE', 'TEXTAREA', 'SELECT',
    'DATALIST', 'OBJECT', 'EMBED', 'VIDEO', 'AUDIO', 'CANVAS']);
  const spaced = new Set(['P', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'UL', 'OL', 'DL', 'TABLE', 'PRE', 'BLOCKQUOTE']);
  const inline = /^(inline|contents|none|ruby|math)/;

  const parts = [];
  let size = 0;
  let breaks = 0;        // line ends that are owed before the next text
  let gap = false;       // whether the text so far ends with a blank
  let cut = false;
  const push = (text) => {
    if (size + text.length > most) { text = text.slice(0, most - size); cut = true; }
    parts.push(text);
    size += text.length;
  };
  const owe = (count) => { breaks = Math.max(breaks, count); };
  const say = (text, kept) => {
    if (!kept && (breaks > 0 || gap || size === 0)) text = text.replace(/^ +/, '');
    if (text === '') return;
    if (breaks > 0 && size > 0) push('\n'.repeat(breaks));
    breaks = 0;
    push(text);
    gap = !kept && text.endsWith(' ');
  };

  // What lies before the beginning of the page can't be scrolled to. In a page that is written from right to
  // left its beginning is its right edge, and nothing is left of what can be reached.
  const beginning = (view) => {
    const style = view.getComputedStyle(view.document.documentElement);
    return style.direction === 'rtl' ? -Infinity : 0;
  };
  const off = (element, style, view) => {
    if (style.position === 'static') return false;
    const box = element.getBoundingClientRect();
    if (box.width === 0 && box.height === 0) return false;
    return box.right + view.scrollX <= beginning(view) || box.bottom + view.scrollY <= 0;
  };
  const clipped = (element, style) => {
    if (/^inset\((50|100)%/.test(style.clipPath)) return true;
    if (style.position === 'absolute' && /^rect\(([01](px)?,? ?){4}\)$/.test(style.clip)) return true;
    if (style.overflowX === 'visible' || style.display === 'inline') return false;
    return element.clientWidth <= 1 || element.clientHeight <= 1;
  };
  const shrunk = (element, style) => {
    if (style.transform === 'none' && style.scale === 'none') return false;
    const box = element.getBoundingClientRect();
    return box.width === 0 || box.height === 0;
  };
  const root = (element) => element === element.ownerDocument.body || element === element.ownerDocument.documentElement;
  const hidden = (element, style, view) => {
    if (style.display === 'none' || Number(style.opacity) < 0.01) return true;
    if (style.display === 'contents') return false;
    if (!element.checkVisibility()) return true;
    if (root(element)) return false;
    return clipped(element, style) || shrunk(element, style) || off(element, style, view);
  };
  const silent = (style) => style.visibility !== 'visible' || parseFloat(style.fontSize) < 1
    || parseFloat(style.textIndent) <= -500;

  let frames = 0;
  const foreign = [];    // where they stand among the window's frames; -1 for those further in
  const documentOf = (frame) => { try { return frame.contentDocument; } catch { return null; } };
  const place = (frame) => {
    for (let at = 0; at < window.length; at += 1) if (window[at] === frame.contentWindow) return at;
    return -1;
  };
  const inside = (frame, style) => {
    frames += 1;
    const inner = documentOf(frame);
    if (inner && frames <= mostFrames) return inner.body;
    // What is smaller counts visitors and shows nothing.
    const box = frame.getBoundingClientRect();
    if (foreign.length < mostFrames && !silent(style) && box.width >= 50 && box.height >= 20) foreign.push(inner ? -1 : place(frame));
    return null;
  };
  const below = (node, style) => {
    if (style.contentVisibility !== 'visible') return [];
    if (node.tagName === 'DETAILS' && !node.open) return [...node.children].filter((child) => child.tagName === 'SUMMARY').slice(0, 1);
    if (node.tagName === 'IFRAME' || node.tagName === 'FRAME') { const body = inside(node, style); return body ? [body] : []; }
    if (node.shadowRoot) return node.shadowRoot.childNodes;
    if (node.tagName === 'SLOT') { const given = node.assignedNodes(); return given.length ? given : node.childNodes; }
    return node.childNodes;
  };

  // What the browser leaves out while nobody sees it (content-visibility: auto) is laid out as a whole before anything
  // in it is asked for: asked one by one, each answer would cost a layout of all. It may hold more of the kind. It stays
  // awake: to put all of it to sleep again takes the browser longer than everything else, and the picture shows it so.
  const asleep = (root) => {
    const found = [];
    const waiting = [root];
    while (waiting.length > 0) {
      const element = waiting.pop();
      const view = element.ownerDocument.defaultView;
      const style = view ? view.getComputedStyle(element) : null;
      if (!style || style.display === 'none' || (element.tagName === 'DETAILS' && !element.open)) continue;
      if (style.contentVisibility === 'auto' && element.style && !woken.has(element)) found.push(element);
      if (style.contentVisibility !== 'visible') continue;
      const framed = element.tagName === 'IFRAME' || element.tagName === 'FRAME' ? documentOf(element) : null;
      for (const parent of [element, element.shadowRoot, framed]) {
        for (let child = parent && parent.lastElementChild; child; child = child.previousElementSibling) waiting.push(child);
      }
    }
    return found;
  };
  const woken = new Set();
  const wake = () => {
    let roots = document.documentElement ? [document.documentElement] : [];
    for (let round = 0; round < mostRounds && roots.length > 0; round += 1) {
      const found = roots.flatMap(asleep);
      for (const element of found) {
        woken.add(element);
        element.style.setProperty('content-visibility', 'visible', 'important');
      }
      roots = found;
    }
  };

  // A stack of our own: a page may be nested deeper than calls may be.
  const stack = [];
  const enter = (element) => {
    if (unread.has(element.tagName)) return;
    const view = element.ownerDocument.defaultView;
    if (!view) return;
    const style = view.getComputedStyle(element);
    if (hidden(element, style, view)) return;
    if (element.tagName === 'BR') { if (!silent(style)) { breaks = Math.min(breaks + 1, 2); } return; }
    const block = !inline.test(style.display) && style.display !== 'table-cell';
    const lines = block ? (spaced.has(element.tagName) ? 2 : 1) : 0;
    owe(lines);
    if (style.display.startsWith('inline-')) say(' ', false);
    const after = style.display === 'table-cell' && element.nextElementSibling ? '\t' : style.display.startsWith('inline-') ? ' ' : '';
    stack.push({ nodes: below(element, style), at: 0, style, mute: silent(style), lines, after });
  };
  const read = (text, { style, mute }) => {
    if (mute) return;
    const kept = /^(pre|break)/.test(style.whiteSpace) && style.whiteSpace !== 'pre-line';
    if (kept) say(text, true);
    else if (style.whiteSpace === 'pre-line') say(text.replace(/[ \t\r\f]+/g, ' '), true);
    else say(text.replace(/[ \t\n\r\f]+/g, ' '), false);
  };
  const walk = () => {
    for (let seen = 0; stack.length > 0 && !cut; ) {
      const top = stack[stack.length - 1];
      if (top.at >= top.nodes.length) {
        stack.pop();
        owe(top.lines);
        if (top.after === '\t') { if (breaks === 0 && size > 0) push('\t'); gap = true; } else if (top.after) say(top.after, false);
        continue;
      }
      const node = top.nodes[top.at];
      top.at += 1;
      seen += 1;
      if (seen > mostNodes) { cut = true; return; }
      if (node.nodeType === Node.TEXT_NODE) read(node.data, top);
      else if (node.nodeType === Node.ELEMENT_NODE) enter(node);
    }
  };

  const page = document.documentElement ? document.documentElement.outerHTML : '';
  const doctype = document.doctype ? '<!DOCTYPE ' + document.doctype.name + '>\n' : '';
  wake();
  if (document.body) enter(document.body);
  else if (document.documentElement) enter(document.documentElement);
  walk();

  globalThis.eyesRead = {
    text: parts.join('').toWellFormed(),
    html: (doctype + page.slice(0, mostHtml)).toWellFormed(),
  };
  return {
    title: document.title.slice(0, 1000).toWellFormed(),
    language: (document.documentElement && document.documentElement.lang || '').slice(0, 40) || null,
    text: globalThis.eyesRead.text.length,
    html: globalThis.eyesRead.html.length,
    textCut: cut,
    htmlCut: page.length > mostHtml,
    foreign,
  };
}
