/** What an installation of an older version contains. The tokens are those of the test data only. */
export type OldInstallation = {
  /** The version that created it. */
  commit: string;
  /** The token string of the bootstrap token. */
  token: string;
  /** The token string of a token that may embed on the page of the shop. */
  embedToken: string;
  designId: string;
  /** The HTML for pages, with a placeholder for the token. */
  html: string;
  sourceSha256: string;
  /** Of the model that embeds load. */
  artifactSha256: string;
};
