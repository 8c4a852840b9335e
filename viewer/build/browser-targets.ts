/**
 * The oldest browsers that show designs: syntax that they lack is compiled. They have WebGL 2 and modules. A test
 * compares this list with docs/embed.md.
 */
export const BROWSER_TARGETS = ['chrome111', 'edge111', 'firefox115', 'safari16.4', 'ios16.4'];
