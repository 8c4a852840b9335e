export const signIn = {
  title: 'Sign in',
  heading: 'Show your 3D design on a web page',
  lead: 'Upload a file, copy its HTML, and paste it into your page.',
  token: 'API token',
  tokenHint:
    'The service printed it at its first start. This page exchanges it for a session, which ends when you sign out, or after twelve hours without a request.',
  submit: 'Continue',
  link: 'You have opened a link to sign in, which works once.',
  useLink: 'Sign in with the link',
  useToken: 'Use a token instead',
  mistakes: {
    empty: 'Enter your token. It begins with cloche_sk_.',
    publicToken:
      'This is a public token: it can only show designs in pages. Enter a secret token, which begins with cloche_sk_.',
    other:
      'This is not a token of Cloche. A secret token begins with cloche_sk_ and has 48 characters.',
  },
};
