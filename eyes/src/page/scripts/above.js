// Takes what lies below a height out of the page, which has been read: for a picture the browser lays out and paints all that
// there is, which takes it many seconds for a page of many paragraphs. Gives how many parts were taken out.
({ most }) => {
  const below = [];
  const above = [];
  const waiting = document.body ? [document.body] : [];
  while (waiting.length > 0) {
    const parent = waiting.pop();
    for (const holder of [parent, parent.shadowRoot]) {
      for (let child = holder && holder.firstElementChild; child; child = child.nextElementSibling) {
        const box = child.getBoundingClientRect();
        if (box.top + scrollY >= most) { if (child.style) below.push(child); continue; }
        above.push([child, box.top]);
        if (box.bottom + scrollY > most) waiting.push(child);
      }
    }
  }
  for (const element of below) element.style.setProperty('display', 'none', 'important');
  // What is above may hang on what is below, as what stands on the bottom of a column.
  const moved = above.some(([element, top]) => Math.abs(element.getBoundingClientRect().top - top) > 1);
  if (moved) for (const element of below) element.style.removeProperty('display');
  return moved ? 0 : below.length;
}
