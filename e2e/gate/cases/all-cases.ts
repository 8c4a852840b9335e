import type { GateCase } from '../gate-case.ts';
import { GRANT_CASES } from './asset-cases.ts';
import { CACHE_CASES } from './cache-cases.ts';
import { CHANGE_CASES, TOKEN_CASES } from './change-cases.ts';
import { FRAMING_CASES, POPUP_CASES } from './framing-cases.ts';
import {
  FRAME_NAVIGATION_CASES,
  PAGE_NAVIGATION_CASES,
  REDIRECT_CASES,
} from './navigation-cases.ts';
import { NESTING_CASES } from './nesting-cases.ts';
import { ADDRESS_CASES, HOST_CASES, LOCALHOST_CASES, SCHEME_CASES } from './origin-cases.ts';
import { REFERRER_CASES } from './referrer-cases.ts';
import { PRELOAD_CASES, REQUEST_CASES } from './request-cases.ts';
import { SANDBOX_CASES } from './sandbox-cases.ts';
import { PREVIEW_CASES, SHARE_CASES } from './sharing-cases.ts';

/** All cases, in the order of the table. */
export const GATE_CASES: readonly GateCase[] = [
  ...FRAMING_CASES,
  ...SANDBOX_CASES,
  ...POPUP_CASES,
  ...NESTING_CASES,
  ...FRAME_NAVIGATION_CASES,
  ...REDIRECT_CASES,
  ...PAGE_NAVIGATION_CASES,
  ...HOST_CASES,
  ...SCHEME_CASES,
  ...LOCALHOST_CASES,
  ...ADDRESS_CASES,
  ...REFERRER_CASES,
  ...REQUEST_CASES,
  ...PRELOAD_CASES,
  ...GRANT_CASES,
  ...CACHE_CASES,
  ...TOKEN_CASES,
  ...CHANGE_CASES,
  ...SHARE_CASES,
  ...PREVIEW_CASES,
];
