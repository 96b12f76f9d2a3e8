// The page's language, which the server chose.

export const language = (typeof document === 'undefined' ? 'en' : document.documentElement.lang).slice(0, 2) || 'en';
