// The settings of VitePress, which docs/site/main.js copies beside the pages.
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const root = process.env.MINTMARK_ROOT;
/** The index of all documents, which is also the menu. */
const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
/** Paths of linked files that are not pages; they are copied into the site. */
const otherFiles = new Set();

export default {
  title: 'Mintmark',
  lang: 'en-US',
  cleanUrls: false,
  rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
  // Addresses of a service that the reader runs.
  ignoreDeadLinks: 'localhostLinks',
  // The search index, which the first search loads, exceeds the default size of this warning.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  markdown: { config: linkOtherFiles },
  buildEnd: ({ outDir }) => {
    for (const file of otherFiles) {
      mkdirSync(dirname(join(outDir, file)), { recursive: true });
      copyFileSync(join(root, file), join(outDir, file));
    }
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'All documents', link: '/docs/' },
      { text: 'REST API', link: '/docs/reference/api' },
      { text: 'Glossary', link: '/docs/glossary' },
    ],
    sidebar: menu(),
  },
};

/** Links the files that are not pages, such as the OpenAPI document, at their paths in the repository. */
function linkOtherFiles(markdown) {
  markdown.core.ruler.push('other-files', ({ tokens, env }) => {
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open');
    for (const link of links) {
      const href = link.attrGet('href');
      if (/^(?:[a-z]+:|#)/.test(href) || /\.md(?:#|$)/.test(href)) continue;
      const file = posix.join(posix.dirname(env.relativePath), href);
      otherFiles.add(file);
      link.attrSet('href', `/${file}`);
      // VitePress changes and checks only links without a target.
      link.attrSet('target', '_self');
    }
  });
}

/** One group for each line of "All documents" in the index. */
function menu() {
  const list = index.slice(index.indexOf('## All documents'));
  return list
    .split(/^- /m)
    .slice(1)
    .map((item) => ({
      text: item.slice(0, item.indexOf(':')),
      collapsed: true,
      items: [...item.matchAll(/\[([^\]]+)\]\(([^)]+)\.md\)/g)].map(([, text, path]) => ({
        text: text.replace(/\s+/g, ' ').replace(/^./, (letter) => letter.toUpperCase()),
        link: `/docs/${path.replace(/README$/, '')}`,
      })),
    }));
}
