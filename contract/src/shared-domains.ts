/**
 * Cloud domains that are not public suffixes but contain some: `amazonaws.com` contains
 * `s3.amazonaws.com`. A wildcard directly below them would allow the sites of other
 * customers.
 */
export const SHARED_CLOUD_DOMAINS = new Set([
  'amazonaws.com',
  'amazonaws.com.cn',
  'amazoncognito.com',
  'bubble.io',
  'canva.site',
  'clever-cloud.com',
  'fastly.net',
  'linode.com',
  'linodeusercontent.com',
  'on.aws',
  'platform.sh',
  'railway.app',
  'render.com',
  'sagemaker.aws',
  'scw.cloud',
  'windows.net',
]);

/** Hosts on which everybody can get a subdomain, but which are not in the Public Suffix List. */
export const SHARED_HOSTS = new Set([
  'medium.com',
  'notion.site',
  'sharepoint.com',
  'squarespace.com',
  'substack.com',
  'tumblr.com',
  'wordpress.com',
]);
