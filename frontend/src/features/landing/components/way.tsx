import { type CSSProperties } from 'react';
import { copy } from '@/features/landing/copy';

/** How a chat comes about, told by two dots that come closer with every step. */
export const Way = () => (
  <section aria-labelledby="way-title" className="mx-auto w-full max-w-6xl px-6 py-18 md:px-12 md:py-24">
    <h2 id="way-title" className="max-w-xl text-2xl font-bold md:text-[2.5rem] md:leading-[1.1]">
      {copy.way.title}
    </h2>
    <ol className="mt-12 grid gap-12 md:mt-16 md:gap-0">
      {copy.way.steps.map((step, index) => (
        <li
          key={step.title}
          style={{ '--step': index } as CSSProperties}
          className="way-step grid items-center gap-4 border-border md:grid-cols-[minmax(0,20rem)_minmax(0,1fr)] md:gap-12 md:border-t md:py-8 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]"
        >
          <span aria-hidden="true" className="way-dots">
            <i />
            <i />
          </span>
          <div className="grid gap-1 lg:grid-cols-2 lg:items-baseline lg:gap-8">
            <h3 className="text-xl font-bold">{step.title}</h3>
            <p className="text-md text-muted-foreground">{step.text}</p>
          </div>
        </li>
      ))}
    </ol>
  </section>
);
