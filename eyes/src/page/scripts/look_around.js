// Where the page stands: its address, its status, its kind. Runs in our own world, so the page can't lie.
() => {
  const loading = performance.getEntriesByType('navigation')[0];
  return {
    url: location.href,
    status: (loading && loading.responseStatus) || null,
    kind: document.contentType,
    // Chromium's own page of an error names the error; it is read for nothing else.
    error: location.protocol === 'chrome-error:'
      ? (/ERR_[A-Z0-9_]+/.exec(document.body ? document.body.innerText : '') || [''])[0]
      : null,
  };
}
