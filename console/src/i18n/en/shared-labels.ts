/** Labels of fields on pages whose other texts are loaded later. */
export const sharedLabels = {
  maxDesigns: 'Designs',
  maxMegabytes: 'Stored files',
  url: 'URL of the page',
};
