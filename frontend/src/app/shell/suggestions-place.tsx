import { type IdeasProps } from '@/chat-ui/composer/ideas';
import { IdlePart } from '@/ui/idle-part';
import { createPart, type Part } from '@/ui/loaded-part';

const randomChatSuggestionsPart = createPart(
  async () => (await import('@/app/shell/suggestions')).RandomChatSuggestions,
);
const privateChatSuggestionsPart = createPart(
  async () => (await import('@/app/shell/suggestions')).PrivateChatSuggestions,
);

/** Creates the `renderIdeas` of a composer. The ideas are suggestions, whose code is loaded while the page is idle. */
const createIdeasRenderer = (part: Part<IdeasProps>) => (props: IdeasProps) => (
  // Until the code is loaded, an empty element reserves the space of the button, if the composer has room for it.
  <IdlePart part={part} pending={props.hasRoomForIdeas ? <span className={props.buttonClass} /> : null}>
    {(Suggestions) => <Suggestions {...props} />}
  </IdlePart>
);

export const renderRandomChatIdeas = createIdeasRenderer(randomChatSuggestionsPart);
export const renderPrivateChatIdeas = createIdeasRenderer(privateChatSuggestionsPart);
