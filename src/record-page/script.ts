/** Shows and enables the copy buttons where browsers have `navigator.clipboard`: on secure origins. The page is complete without them. */
export const SCRIPT = `
(() => {
  const status = document.getElementById('copied');
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll('button[data-copy]')) {
    const label = button.firstElementChild;
    button.hidden = false;
    const show = (word) => {
      label.textContent = word;
      setTimeout(() => { label.textContent = 'Copy'; }, 2000);
    };
    button.addEventListener('click', async () => {
      const text = button.dataset.copy;
      try {
        await navigator.clipboard.writeText(text);
        status.textContent = 'Copied: ' + text;
        show('Copied');
      } catch {
        show('Not copied');
        status.textContent = 'The browser did not permit copying. Select the text and copy it.';
      }
      button.focus();
    });
  }
})();
`;
