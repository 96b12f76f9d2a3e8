import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Five programs, the part of one that is loaded later, and what they say in each language, in one folder: the server reads
// the manifest and knows which files a page needs.
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
    rollupOptions: {
      input: { store: 'src/store/main.ts', my: 'src/my/main.ts', console: 'src/console/main.ts', 'console-af': 'src/console/words/af/main.ts', scan: 'src/scan/main.ts', queue: 'src/queue/main.ts', checkout: 'src/checkout/main.ts', en: 'src/lib/words/speak/en/main.ts', 'en-later': 'src/lib/words/speak/en/later/main.ts', af: 'src/lib/words/speak/af/main.ts', 'af-later': 'src/lib/words/speak/af/later/main.ts' },
      preserveEntrySignatures: 'allow-extension', // of the checkout: the shop takes what it exports
      output: {
        // What is used together is one file: a dozen small ones cost a dozen requests, and pack worse.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            // `words/index` is in it, and no catalogue: a language speaks to it before a program is run.
            { name: 'base', test: /node_modules\/(svelte\/(?!src\/reactivity\/(media-query|reactive-value|index-client))|esm-env\/|clsx\/)|src\/lib\/([\w.]+|words\/index\.ts)$/ },
            { name: 'afrikaans', test: /src\/lib\/words\/(af|problems\.af)\.ts$/ },
            { name: 'afrikaans-later', test: /src\/lib\/words\/later\/(af|problems\.af)\.ts$/ },
            { name: 'reports', test: /src\/console\/(reports\/|words\/reports|pages\/(Reports|ShowReport)\.)/ },
            { name: 'map', test: /src\/lib\/map\// },
            // `words/spoken` is in none of them: another language speaks to it before any of these is run.
            { name: 'parts', test: /node_modules\/svelte\/src\/reactivity\/(media-query|reactive-value|index-client)|src\/console\/(parts\/|(?!main|pages\.)[\w.]+\.ts$|words\/(common|frame|index|lifecycle|orders|overview|queue)\.)/ },
            { name: 'charts', test: /src\/console\/(charts\/|words\/charts\.)/ },
            // The console's pages, by what somebody is at: a show, a hall's seats, the house itself.
            { name: 'show', test: /src\/console\/((shows|scanning)\/|words\/(doors|shows|waitlist)\.|pages\/(Details|Doors|Events|NewShow|Queue|Show|ShowDevices|Waitlist)\.)/ },
            { name: 'seating', test: /src\/console\/(seating\/(?!PolicyRow|policy\.)|words\/(generators|layouts|seating)\.|pages\/(Layout\w*|ShowSeating|StrandedSeats)\.)/ },
            // The latest of the audit stand beside a show's doors: whoever is at those does not load the house for them.
            { name: 'audit', test: /src\/console\/(audit\/|words\/audit\.|pages\/Audit\.)/ },
            { name: 'house', test: /src\/console\/((platform|venues|webhooks)\/|words\/(house|ledger|letters|people|sites|platform|venues|webhooks)\.|pages\/(HouseCharges|Keys|Ledger|Letters|Mailbox|Members|Organizations?|OtherSites|OwnOrganization|Team|Venues?|Webhooks?)\.)/ },
          ],
        },
      },
    },
  },
  test: { environment: 'node', include: ['src/**/*.test.ts'], setupFiles: ['src/lib/words/speak/en/main.ts', 'src/lib/words/speak/en/later/main.ts'] },
});
