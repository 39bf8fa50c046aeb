import { copy } from '@/app/copy';
import { useDocumentTitle } from '@/product/document-title';
import { TwoDots } from '@/product/two-dots';
import { buttonClass } from '@/ui/button';
import { Link } from '@/ui/link';

export const NotFoundRoute = () => {
  useDocumentTitle(copy.notFound.title);
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-md content-center px-6 py-12">
      <TwoDots state="parted" />
      <h1 className="mt-6 text-2xl font-bold">{copy.notFound.title}</h1>
      <p className="mt-2 text-md text-muted-foreground">{copy.notFound.lead}</p>
      <Link to="/" className={buttonClass({ size: 'lg' }, 'mt-8 w-fit')}>
        {copy.notFound.home}
      </Link>
    </main>
  );
};
