import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  EVENT_NAMES,
  METHOD_NAMES,
  type ViewerMessageEvents,
  type ViewerMethods,
} from './message.ts';

/** `true` if the list has all names, else the missing ones: then this file has a type error. */
type Complete<Names, Listed> = [Exclude<Names, Listed>] extends [never]
  ? true
  : Exclude<Names, Listed>;

describe('the names of methods and events', () => {
  it('are all listed, once each', () => {
    const methods: Complete<keyof ViewerMethods, (typeof METHOD_NAMES)[number]> = true;
    const events: Complete<keyof ViewerMessageEvents, (typeof EVENT_NAMES)[number]> = true;
    assert.ok(methods && events);
    for (const names of [METHOD_NAMES, EVENT_NAMES])
      assert.equal(new Set(names).size, names.length);
  });
});
