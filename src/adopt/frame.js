// Tells the site that shows this page in a frame how high it is, at first and whenever that changes.
if (window.parent !== window) {
  const tell = () => {
    const { height } = document.documentElement.getBoundingClientRect();
    window.parent.postMessage({ type: 'adopt-height', height: Math.ceil(height) }, '*');
  };
  new ResizeObserver(tell).observe(document.documentElement);
}
