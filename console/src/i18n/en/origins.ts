export const origins = {
  shownOn: 'Allowed on',
  mistake: 'Error',
  warning: 'Warning',
  tooMany: (count: number) =>
    `These are ${count} origins, and a token has at most 20. Use https://*.shop.example for many subdomains.`,
};
