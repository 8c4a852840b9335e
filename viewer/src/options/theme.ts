import styles from 'virtual:theme-styles';
import type { ViewerOptions } from '@cloche/contract/viewer-options';
import { setBackground } from './background.ts';

/** Shows the options `theme` and `background`. */
export function setTheme(document: Document, { theme = 'light', background }: ViewerOptions): void {
  const { documentElement: root } = document;
  // Without these options, the document came without their style.
  if (root.dataset.theme === undefined) {
    const styleSheet = new CSSStyleSheet();
    styleSheet.replaceSync(styles);
    document.adoptedStyleSheets.push(styleSheet);
  }
  root.dataset.theme = theme;
  setBackground(root, background);
}
