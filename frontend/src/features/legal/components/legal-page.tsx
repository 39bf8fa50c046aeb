import { ArrowLeft } from 'lucide-react';
import { useId } from 'react';
import { copy, privacy, terms, type LegalText } from '@/features/legal/copy';
import { useDocumentTitle } from '@/product/document-title';
import { buttonClass } from '@/ui/button';
import { Link } from '@/ui/link';

const texts = { terms, privacy } satisfies Record<string, LegalText>;

const Section = ({ title, paragraphs }: LegalText['sections'][number]) => {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-8">
      <h2 id={id} className="text-lg font-bold">
        {title}
      </h2>
      {paragraphs.map((paragraph) => (
        <p key={paragraph} className="mt-2 text-md text-muted-foreground">
          {paragraph}
        </p>
      ))}
    </section>
  );
};

/** The terms, or the privacy notice. */
export const LegalPage = ({ which }: { which: keyof typeof texts }) => {
  const { title, lead, sections } = texts[which];
  const other = which === 'terms' ? 'privacy' : 'terms';
  useDocumentTitle(title);
  return (
    <main className="mx-auto w-full max-w-2xl px-6 py-6 md:py-12">
      <Link to="/" className={buttonClass({ variant: 'ghost' }, '-ml-4 text-muted-foreground')}>
        <ArrowLeft aria-hidden="true" />
        {copy.back}
      </Link>
      <h1 className="mt-6 text-2xl font-bold">{title}</h1>
      <p className="mt-2 text-md text-muted-foreground">{lead}</p>
      {sections.map((section) => (
        <Section key={section.title} {...section} />
      ))}
      <p className="mt-12 border-t border-border pt-6 text-base">
        <Link to={`/${other}`} className="font-semibold text-primary underline underline-offset-4">
          {copy.other[other]}
        </Link>
      </p>
    </main>
  );
};
