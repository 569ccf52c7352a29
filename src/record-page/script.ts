/**
 * Shows and enables the copy buttons. The page is complete without this script. Browsers permit `navigator.clipboard` only on secure
 * origins. On all other origins, the text is selected and copied by `document.execCommand`.
 */
export const SCRIPT = `
(() => {
  const status = document.getElementById('copied');
  const copyOld = (text) => {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (!done) throw new Error('not copied');
  };
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
        if (navigator.clipboard) await navigator.clipboard.writeText(text);
        else copyOld(text);
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
