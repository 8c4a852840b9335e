export const layout = {
  skip: 'Skip to the content',
  navigation: 'Main',
  menu: 'Menu',
  designs: 'Designs',
  embed: 'Embed',
  tokens: 'Tokens',
  pageCheck: 'Check a page',
  operator: 'Operator',
  sessions: 'Sessions',
  guide: 'Guide',
  api: 'API',
  signOut: 'Sign out',
  limitedAccess: {
    title: 'What your token may do',
    lead: 'The pages of the console show your designs and tokens. Your token does not have the capability "read", so it may not see them.',
    list: 'Your token may',
    limited: (designs: number) =>
      designs === 1 ? 'It is limited to one design.' : `It is limited to ${designs} designs.`,
    hint: 'Use it with the API, as the guide describes, or sign in with a token that also has "read".',
    signOutButton: 'Sign in with another token',
  },
};
