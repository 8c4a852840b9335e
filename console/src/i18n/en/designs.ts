const count = (number: number, noun: string) =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

export const designs = {
  title: 'Designs',
  search: 'Search',
  searchHint: 'Name, description, tag or external id',
  tag: 'Tag',
  allTags: 'All tags',
  tagOption: (tag: string, designs: number) => `${tag} (${designs.toLocaleString('en')})`,
  sort: 'Sort by',
  sorts: {
    '-createdAt': 'Newest first',
    createdAt: 'Oldest first',
    '-updatedAt': 'Last changed first',
    updatedAt: 'Last changed last',
    name: 'Name, A to Z',
    '-name': 'Name, Z to A',
  },
  list: 'Designs',
  shown: (number: number, hasMore: boolean) =>
    `${count(number, 'design')}${hasMore ? ' so far' : ''}`,
  stored: (size: string) => `${size} stored`,
  storedOf: (size: string, limit: string) => `${size} of ${limit} stored`,
  designsOf: (number: string, limit: string) => `${number} of ${limit} designs`,
  none: 'You have no designs yet.',
  noneHint: 'Drop files or folders on this page, or choose files.',
  noneReadOnly: 'Your token may read designs, but not upload any.',
  noMatch: 'No design matches.',
  clearFilters: 'Clear the search',
  loadingMore: 'Loading more designs…',
  unreadable: (number: number) =>
    `${count(number, 'design')} cannot be read, because the stored data is damaged. An operator can check it with "cloche-server verify".`,
  states: {
    queued: 'queued',
    processing: 'processing',
    ready: 'ready',
    failed: 'failed',
    cancelled: 'cancelled',
  },
  progress: (percent: number, step: string) => `${percent} %, ${step}`,
  noPreview: 'No preview',
  select: (name: string) => `Select ${name}`,
  selected: (number: number) => `${number.toLocaleString('en')} selected`,
  selectShown: (number: number) => `Select all shown (${number.toLocaleString('en')})`,
  clearSelection: 'Clear selection',
  selection: 'Selected designs',
  addTag: 'Add tag',
  removeTag: 'Remove tag',
  download: 'Download',
  delete: 'Delete',
  tagLabel: 'Tag',
  tagMissing: 'Enter a tag.',
  addTagTitle: (number: number) => `Add a tag to ${count(number, 'design')}`,
  removeTagTitle: (number: number) => `Remove a tag from ${count(number, 'design')}`,
  downloadTitle: (number: number) => `Download ${count(number, 'source file')}`,
  downloadText:
    'The files are saved one after another, unchanged, as they were uploaded. Your browser may ask whether this page may save several files.',
  deleteTitle: (number: number) => `Delete ${count(number, 'design')}?`,
  deleteText: (number: number) =>
    number === 1
      ? 'Its files are deleted, and embeds of it stop working. This cannot be undone.'
      : `The files of all ${number.toLocaleString('en')} are deleted, and embeds of them stop working. This cannot be undone.`,
  deleteConfirm: (number: number) => `Delete ${count(number, 'design')}`,
  running: (done: number, total: number) =>
    `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`,
  stop: 'Stop',
  bulkDone: (number: number) => `Done: ${count(number, 'design')}.`,
  bulkFailed: (number: number) => `${count(number, 'design')} could not be changed:`,
  bulkStopped: (number: number) => `Stopped. ${count(number, 'design')} were not changed.`,
  remainSelected: 'They remain selected.',
  tryFailedAgain: 'Try these again',
};
