import { defineConfig } from 'vite';

// Scripts without a page around them; bench/ui.py names where they go.
export default defineConfig({
  root: new URL('.', import.meta.url).pathname,
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: { input: ['map.ts', 'sheet.ts'], output: { entryFileNames: '[name].js', assetFileNames: 'map.[ext]' } },
  },
});
