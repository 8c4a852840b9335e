import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The service that `npm run dev` sends requests to. */
const SERVICE = process.env.CLOCHE_PUBLIC_URL ?? 'http://localhost:8787';
/** Browsers since 2024: the pages use light-dark() and Promise.withResolvers. */
export const BROWSER_TARGETS = ['chrome123', 'firefox121', 'safari17.5'];

/** The console. `npm run dev` shows changes at once; the service sends what `npm run build` writes. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: false,
    target: BROWSER_TARGETS,
    // The policy of the page allows no inline scripts, and no images or fonts are in scripts.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/embed', '/docs', '/openapi.json', '/sdk'].map((path) => [
        path,
        // The service accepts the cookie of a session only from its own pages.
        { target: SERVICE, changeOrigin: true, headers: { origin: SERVICE } },
      ]),
    ),
  },
});
