// One part of what read.js has kept: from a place, of about so many UTF-16 units. No character is cut in two.
({ what, from, size }) => {
  const whole = (globalThis.eyesRead && globalThis.eyesRead[what]) || '';
  let end = Math.min(from + size, whole.length);
  if (end < whole.length && (whole.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1;
  const part = whole.slice(from, end);
  // The last part of all has been fetched: the browser need not keep it.
  if (end === whole.length && globalThis.eyesRead) delete globalThis.eyesRead[what];
  return { part, end };
}
