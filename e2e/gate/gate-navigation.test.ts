import { testInChromium } from './chromium-groups.ts';

testInChromium('navigation');
