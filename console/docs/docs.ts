/** The script of every page of the documentation. */
import { addCopyButtons } from './code-block.ts';

// The table of contents is open if it fits beside the text.
const contents = document.querySelector('.contents');
const isWide = matchMedia('(min-width: 64rem)');
const updateContents = () => contents?.toggleAttribute('open', isWide.matches);
isWide.addEventListener('change', updateContents);
updateContents();

addCopyButtons(document.body);
