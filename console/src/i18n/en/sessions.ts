export const sessions = {
  title: 'Sessions',
  lead: 'The browsers that are signed in with your tokens. A session also ends with its token, and after twelve hours without a request.',
  signedOut:
    'You are signed out: it happened in another tab of this browser, or its cookies were deleted.',
  ended:
    'Your session has ended: someone ended it in another browser or tab, or it was not used for twelve hours. Sign in again.',
  tokenEnded: {
    'token.revoked':
      'You are signed out: the token that you signed in with was revoked. Sign in with another one.',
    'token.expired':
      'You are signed out: the token that you signed in with has expired. Sign in with another one.',
    'token.unknown':
      'You are signed out: the service no longer has the token that you signed in with. Sign in with another one.',
    'token.user-disabled':
      'You are signed out: your user was deactivated. Ask the operator of this service.',
  } as Readonly<Record<string, string>>,
  otherSession:
    'This browser is now signed in with another session, in another tab. Reload the page to use it.',
  notSignedOut: 'You are not signed out. Try again.',
  unknown: 'The console cannot be opened now',
  current: 'this browser',
  signedIn: 'Signed in',
  lastUsed: 'Last used',
  ends: 'Ends',
  token: 'Token',
  end: 'End',
  endOne: (browser: string) => `End the session of ${browser}`,
  endOthers: 'End all others',
  endOthersTitle: 'End all other sessions?',
  endOthersText: (count: number) =>
    `${count === 1 ? 'One other browser is' : `${count} other browsers are`} signed out at once.`,
  endedOne: 'The session was ended.',
  endedOthers: 'All other sessions were ended.',
  noOthers: 'No other browser is signed in.',
};
