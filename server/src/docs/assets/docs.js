import { addCopyButtons } from './dom.js';

// Open where there is room for it beside the text.
const contents = document.querySelector('.contents');
const wide = matchMedia('(min-width: 64rem)');
const fit = () => contents?.toggleAttribute('open', wide.matches);
wide.addEventListener('change', fit);
fit();

addCopyButtons(document.body);
