export const embedTexts = {
  title: 'Embed',
  lead: 'Choose a design and the pages that may show it, then copy the code and paste it into your page.',
  design: {
    heading: 'Design',
    search: 'Find a design',
    searchHint: 'Name, description, tag or external id',
    none: 'You have no designs yet.',
    noneFound: 'No design has this text.',
    upload: 'Upload a design',
    change: 'Choose another design',
    states: {
      queued: 'waiting for processing',
      processing: 'being processed',
      failed: 'failed',
      cancelled: 'cancelled',
    },
    notReady: 'The design has no model yet. The code works as soon as it has one.',
  },
  pages: {
    heading: 'Pages that show it',
    label: 'Addresses of your pages',
    hint: 'One or more, separated by spaces: shop.example, https://*.shop.example, localhost:3000. Only the host counts, not the path.',
  },
  token: {
    heading: 'Token',
    fits: 'Tokens that fit these pages',
    scope: 'What the token may show',
    onlyThis: 'only this design',
    allDesigns: 'all my designs, also those that I add later',
    createButton: 'Create token',
    created:
      'The token is in the code below. It may be public: it can only show designs, and only on the pages above.',
    createdUntil: (time: string) =>
      `It works until ${time}, because the token you are signed in with ends then.`,
    missingPages: 'Enter the address of your page first.',
    notStored:
      'The service does not store the text of a token, so the code contains CLOCHE_EMBED_TOKEN in its place. Enter the text here, or replace it after pasting.',
    textLabel: 'Text of the token',
    notPublic: 'The text of a public token begins with cloche_pk_ and has 48 characters.',
    mismatch: (origins: string) =>
      `The chosen token does not allow ${origins}. Choose another token, or create one.`,
    mayNotCreate:
      'Your token may not create tokens. Choose one of these, or ask the person who gave you the token.',
    noneFits: 'No token fits these pages and this design.',
    unnamed: 'Token without a name',
    lastUsed: 'last used',
    neverUsed: 'never used',
    everyDesign: 'all designs',
    designs: (count: number) => (count === 1 ? '1 design' : `${count} designs`),
  },
  options: { heading: 'Options' },
  view: {
    heading: 'Live view',
    frameTitle: (name: string) => `Live view of ${name}`,
    hint: 'This is the embed itself, with your options.',
  },
  code: {
    heading: 'Code',
    tabs: 'Where you paste the code',
    label: (name: string) => `Code for ${name}`,
    guide: 'Guide',
    html: { name: 'HTML', hint: 'Paste it where the design shall appear. It needs no script.' },
    element: {
      name: 'Web component',
      hint: 'The script lets your page control the design. Without the script, the design is shown all the same.',
    },
    javascript: { name: 'JavaScript', hint: 'Your script gets a handle that controls the design.' },
    react: { name: 'React', hint: 'A component without dependencies, also for Next.js and Remix.' },
    vue: {
      name: 'Vue',
      hint: 'With the package @cloche/sdk, which is not in the npm registry: install it from the folder sdk of the source code of Cloche. Set compilerOptions.isCustomElement for cloche-viewer.',
    },
    svelte: {
      name: 'Svelte',
      hint: 'With the package @cloche/sdk, which is not in the npm registry: install it from the folder sdk of the source code of Cloche.',
    },
    wordpress: {
      name: 'WordPress',
      hint: 'Paste it into a Custom HTML block. Only users who may save unfiltered HTML can do this.',
    },
    shopify: {
      name: 'Shopify',
      hint: 'Paste it into a Custom Liquid block, or into a description with Show HTML (<>).',
    },
    notion: { name: 'Notion', hint: 'Type /embed in a page of Notion and paste this address.' },
    markdown: {
      name: 'Markdown',
      hint: 'Where HTML is removed, link a picture to a page that shows the design. Save the poster of the design as poster.webp.',
    },
  },
  check: {
    heading: 'Test it',
    label: 'Address of your page',
    submit: 'Check',
    more: 'More',
    outerPages: 'Pages around your page',
    outerPagesHint:
      'If other pages show your page in an iframe: their addresses, innermost first, separated by spaces.',
    hidesReferrer: 'The iframe has referrerpolicy="no-referrer"',
    invalidOuter: (count: number) => `Enter at most ${count} addresses.`,
    needsToken: 'Choose or create a token first.',
    allowed: 'Shown',
    refused: 'Not shown',
    wholePage: 'To check a page that is already published, with its frames and headers:',
    pageCheck: 'check a page',
    invalid: 'Enter the address of a page, such as https://shop.example/chairs.',
  },
};
