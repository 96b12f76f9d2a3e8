import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Three programs, one folder: the server reads the manifest and knows which files a page needs.
export default defineConfig({
  plugins: [svelte()],
  base: '/built/',
  publicDir: 'public',
  build: {
    outDir: '../src/fullhouse/web/built',
    emptyOutDir: true,
    manifest: 'manifest.json',
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rollupOptions: { input: { store: 'src/store/main.ts', console: 'src/console/main.ts', scan: 'src/scan/main.ts' } },
  },
  test: { environment: 'node', include: ['src/**/*.test.ts'] },
});
