/** `resting`: at a distance; `seeking`: moving towards each other; `parted`: the partner's dot has shrunk and faded. */
export type DotsState = 'resting' | 'seeking' | 'parted';

/** The motif of the product: a warm dot for the user, and one for a partner not yet known. */
export const TwoDots = ({ state }: { state: DotsState }) => (
  <div aria-hidden="true" data-dots={state} className="two-dots">
    <span className="ember-glow two-dots-glow" />
    <span className="two-dots-path" />
    <span className="two-dots-them" />
    <span className="two-dots-me" />
  </div>
);
