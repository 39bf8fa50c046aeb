import { ArrowRight } from 'lucide-react';
import { BreakTheIceSection } from '@/features/landing/components/break-the-ice-section';
import { EntryActions, type EntryActionsProps } from '@/features/landing/components/entry-actions';
import { FeaturesSection } from '@/features/landing/components/features-section';
import { LiveDemo } from '@/features/landing/components/live-demo';
import { copy } from '@/features/landing/copy';
import { cn } from '@/lib/class-names';
import { Logo } from '@/product/logo';
import { ThemeChoice } from '@/product/theme-choice';
import { buttonClass } from '@/ui/button';
import { Link } from '@/ui/link';

/**
 * A link to /chat for signed-in users: in the header of a wide screen, below the entry actions on a narrow one. The
 * prerendered HTML is the same for all visitors and always contains the link. The class `only-signed-in` hides it,
 * unless public/theme.js has marked the visitor as signed in before the first paint.
 */
const ResumeLink = ({ className }: { className?: string }) => (
  <Link to="/chat" className={buttonClass({ variant: 'ghost' }, cn('only-signed-in', className))}>
    {copy.actions.resume}
    <ArrowRight aria-hidden="true" />
  </Link>
);

export const LandingPage = (entryActions: EntryActionsProps) => (
  <div className="overflow-x-clip">
    <header className="mx-auto flex w-full max-w-6xl items-center justify-between gap-4 px-6 py-4 md:px-12 md:py-6">
      <Logo />
      <div className="flex items-center gap-3">
        <ResumeLink className="max-md:hidden" />
        <ThemeChoice legend={copy.theme.legend} labels={copy.theme.labels} />
      </div>
    </header>
    <main>
      <section className="mx-auto grid w-full max-w-6xl gap-12 px-6 pt-8 pb-18 md:px-12 md:pt-12 lg:min-h-[calc(100dvh-8rem)] lg:grid-cols-[7fr_6fr] lg:items-center lg:gap-16 lg:pb-24">
        <div>
          <h1 className="text-hero font-extrabold">{copy.hero.title}</h1>
          <p className="mt-6 mb-8 max-w-xl text-lg text-muted-foreground">{copy.hero.lead}</p>
          <EntryActions {...entryActions} />
          <ResumeLink className="mt-2 -ml-4 md:hidden" />
        </div>
        <LiveDemo />
      </section>
      <FeaturesSection />
      <BreakTheIceSection />
      <section aria-labelledby="closing-title" className="relative overflow-hidden">
        <div
          aria-hidden="true"
          className="ember-glow pointer-events-none absolute -bottom-72 left-1/4 size-[48rem]"
        />
        <div className="relative mx-auto w-full max-w-6xl px-6 py-24 md:px-12 md:py-32">
          <h2 id="closing-title" className="text-hero font-extrabold">
            {copy.closing.title}
          </h2>
          <p className="mt-4 mb-8 text-lg text-muted-foreground">{copy.closing.lead}</p>
          <EntryActions {...entryActions} />
        </div>
      </section>
    </main>
    <footer className="mx-auto w-full max-w-6xl px-6 md:px-12">
      <p className="border-t border-border py-8 text-sm text-muted-foreground">{copy.footer}</p>
    </footer>
  </div>
);
