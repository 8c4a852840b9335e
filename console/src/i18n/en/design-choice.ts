export const designChoice = {
  gone: 'a design that you cannot see, or that was deleted',
  chosen: 'Chosen designs',
  placeholder: 'Name of a design',
  remove: (name: string) => `Remove ${name}`,
  noneFound: 'No design has this text.',
  more: (count: number) => `The newest ${count} are shown. Type to find others.`,
};
