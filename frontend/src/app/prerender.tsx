import { prerender } from 'react-dom/static';
import { StaticRouter } from 'react-router-dom';
import { App } from '@/app/app';

/** The markup of a page for a visitor of whom nothing is known. Used by scripts/prerender.mjs at the build. */
export const renderPage = async (path: string): Promise<string> => {
  const { prelude } = await prerender(
    <App inRouter={(routes) => <StaticRouter location={path}>{routes}</StaticRouter>} />,
    {
      // In one piece: what is put in its place later comes by inline scripts, which the Content-Security-Policy forbids.
      progressiveChunkSize: Infinity,
      onError: (error) => {
        throw error;
      },
    },
  );
  return new Response(prelude).text();
};
