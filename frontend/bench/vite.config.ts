import { defineConfig } from 'vite';

// One script without a page around it; bench/ui.py names where it goes.
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: { input: 'map.ts', output: { entryFileNames: 'map.js', assetFileNames: 'map.[ext]' } },
  },
});
