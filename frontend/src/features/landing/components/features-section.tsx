import { CarouselPause } from '@/features/landing/components/carousel-pause';
import { features } from '@/features/landing/components/feature-pictures';
import { copy } from '@/features/landing/copy';
import { useCarousel } from '@/features/landing/use-carousel';
import { pageLimits } from '@/lib/page-limits';

/** The product's features as a carousel, each with a picture made of the product's own components. */
export const FeaturesSection = () => {
  const { index, isRunning, isPausedByUser, choose, togglePause, pauseHandlers, swipeHandlers } = useCarousel(
    features.length,
    pageLimits.featureCarouselMs,
  );
  return (
    <section
      aria-labelledby="features-title"
      className="mx-auto w-full max-w-6xl px-6 pt-12 pb-18 md:px-12 md:py-24"
    >
      <h2 id="features-title" className="max-w-lg text-2xl font-bold md:text-[2.5rem] md:leading-[1.1]">
        {copy.features.title}
      </h2>
      <div
        role="group"
        aria-roledescription="carousel"
        aria-label={copy.features.label}
        className="mt-8 flex flex-col-reverse gap-x-16 md:mt-12 lg:grid lg:grid-cols-[5fr_6fr] lg:items-stretch"
        {...pauseHandlers}
      >
        <div className="mt-2 flex items-center justify-center lg:mt-0 lg:flex-col lg:items-start lg:justify-between">
          {/* A row of dots; on a wide screen, a column of the features' names. */}
          <ol className="flex lg:grid lg:w-full">
            {features.map(({ key }, slideIndex) => (
              <li key={key}>
                <button
                  type="button"
                  aria-label={copy.features.list[key].title}
                  aria-current={slideIndex === index}
                  data-running={isRunning}
                  className="carousel-dot feature-name"
                  onClick={() => choose(slideIndex)}
                >
                  <span className="max-lg:hidden">{copy.features.list[key].title}</span>
                </button>
              </li>
            ))}
          </ol>
          <div className="lg:-ml-3">
            <CarouselPause
              isPaused={isPausedByUser}
              contentName={copy.features.contentName}
              onToggle={togglePause}
            />
          </div>
        </div>
        <div
          {...swipeHandlers}
          aria-live={isRunning ? 'off' : 'polite'}
          className="slides rounded-sheet border border-border bg-card p-6 md:p-8"
        >
          {features.map(({ key, Picture }, slideIndex) => (
            <div
              key={key}
              role="group"
              aria-roledescription="slide"
              aria-label={copy.features.slide(slideIndex + 1, features.length)}
              aria-hidden={slideIndex !== index}
              // Makes the slide visible, without the animation that the other value, `played`, has (landing.css).
              data-shown={slideIndex === index ? 'at-once' : undefined}
              className="slide flex flex-col"
            >
              <div aria-hidden="true" className="grid min-h-60 flex-1 place-items-center py-4">
                <Picture />
              </div>
              <h3 className="mt-6 text-xl font-bold">{copy.features.list[key].title}</h3>
              <p className="mt-1 text-md text-muted-foreground">{copy.features.list[key].text}</p>
            </div>
          ))}
        </div>
      </div>
    </section>
  );
};
