import { ArrowLeft } from 'lucide-react';
import { useId } from 'react';
import { copy, privacy, rules, terms, type LegalText } from '@/features/legal/copy';
import { useDocumentTitle } from '@/product/document-title';
import { buttonClass } from '@/ui/button';
import { Link } from '@/ui/link';

const texts = { terms, privacy, rules } satisfies Record<string, LegalText>;

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

const HouseRules = ({ items }: { items: NonNullable<LegalText['rules']> }) => (
  <ol className="mt-8 grid list-decimal gap-5 pl-7 marker:text-lg marker:font-bold marker:text-primary">
    {items.map(({ title, text }) => (
      <li key={title} className="pl-1">
        <h2 className="text-lg font-bold">{title}</h2>
        <p className="mt-1 text-md text-muted-foreground">{text}</p>
      </li>
    ))}
  </ol>
);

type LegalTextName = keyof typeof texts;

/** The terms, the privacy notice, or the house rules. */
export const LegalPage = ({ which }: { which: LegalTextName }) => {
  const { title, lead, rules: houseRules, sections } = texts[which];
  const otherTexts = (Object.keys(texts) as LegalTextName[]).filter((other) => other !== which);
  useDocumentTitle(title);
  return (
    <main className="mx-auto w-full max-w-2xl px-6 py-6 md:py-12">
      <Link to="/" className={buttonClass({ variant: 'ghost' }, '-ml-4 text-muted-foreground')}>
        <ArrowLeft aria-hidden="true" />
        {copy.back}
      </Link>
      <h1 className="mt-6 text-2xl font-bold">{title}</h1>
      <p className="mt-2 text-md text-muted-foreground">{lead}</p>
      {houseRules ? <HouseRules items={houseRules} /> : null}
      {sections.map((section) => (
        <Section key={section.title} {...section} />
      ))}
      <p className="mt-12 flex flex-wrap gap-x-6 gap-y-2 border-t border-border pt-6 text-base">
        {otherTexts.map((other) => (
          <Link
            key={other}
            to={`/${other}`}
            className="font-semibold text-primary underline underline-offset-4"
          >
            {copy.links[other]}
          </Link>
        ))}
      </p>
    </main>
  );
};
