/**
 * Topics of a conversation, found by word lists. The page uses them to choose suggestions without sending messages to
 * the server; the API sends a language model these topics instead of the partner's words.
 */
export const topics = [
  'music',
  'films',
  'series',
  'books',
  'games',
  'sport',
  'food',
  'drinks',
  'travel',
  'animals',
  'nature',
  'weather',
  'work',
  'studies',
  'family',
  'friends',
  'love',
  'home',
  'sleep',
  'art',
  'technology',
  'space',
  'languages',
  'feelings',
] as const;

export type Topic = (typeof topics)[number];

/**
 * Lower-case words. No word is in two lists. A plural in -s or -es is found through its singular. Some words with
 * several common meanings, such as "play" and "date", are left out.
 */
const wordsOfTopics: Readonly<Record<Topic, string>> = {
  music: `music musical musician song album band bands concert gig singer sing singing sang playlist spotify guitar
    piano drum violin bass melody lyric rap jazz techno metal vinyl dj choir orchestra karaoke soundtrack`,
  films: `film movie cinema actor actress director oscar pixar disney marvel trailer screenplay popcorn
    documentary documentaries thriller`,
  series: `series tv television netflix episode sitcom anime hbo binge binged bingeing cliffhanger spinoff spoiler`,
  books: `book read reading novel author writer poem poetry poet library kindle bookshop audiobook fiction chapter
    paperback fairytale`,
  games: `game gaming gamer playstation xbox nintendo switch minecraft zelda mario steam chess puzzle poker boardgame
    quest multiplayer dice sudoku crossword`,
  sport: `sport football soccer basketball tennis volleyball hockey rugby cricket gym workout yoga running runner
    jogging marathon swim swimming swam cycling skiing climbing bouldering surfing training goalkeeper olympics boxing
    athlete skateboard fitness`,
  food: `food eat eating ate eaten cook cooking cooked bake baking baked recipe dinner lunch breakfast pizza pasta sushi
    burger soup salad cheese bread chocolate cake dessert vegan vegetarian restaurant hungry curry taco noodle rice
    potato snack kitchen delicious pancake`,
  drinks: `drink coffee tea espresso cappuccino latte wine beer cocktail juice lemonade cocoa barista cafe café whisky
    smoothie`,
  travel: `travel travelling traveling travelled traveled trip journey holiday vacation flight airport plane
    train backpack backpacking hotel hostel passport abroad tourist tourism luggage suitcase sightseeing souvenir island
    roadtrip`,
  animals: `animal pet dog puppy puppies cat kitten kitty bird parrot horse rabbit hamster fish shark whale dolphin
    snake turtle penguin elephant fox wolf wolves otter heron zoo vet squirrel hedgehog`,
  nature: `nature forest tree mountain lake river ocean sea beach garden gardening flower hike hiking hiked camping
    campfire waterfall sunset sunrise outdoors meadow valley desert jungle`,
  weather: `weather rain raining rainy rained snow snowing snowy snowed storm stormy sunny sunshine cloud cloudy wind
    windy heat heatwave freezing temperature thunder lightning fog foggy summer winter autumn spring`,
  work: `work working worked job boss colleague coworker office career meeting salary shift deadline interview client
    freelance startup internship retired profession overtime promotion`,
  studies: `study studying studied studies student university uni college school exam lecture professor teacher homework
    thesis degree semester course maths physics chemistry biology history philosophy psychology`,
  family: `family families mum mom mother dad father parent brother sister sibling grandma grandmother grandpa
    grandfather grandparent cousin aunt uncle niece nephew daughter son twin`,
  friends: `friend friendship bestie buddy mate roommate flatmate neighbour neighbor party parties`,
  love: `love loved crush romance romantic relationship boyfriend girlfriend husband wife wedding married marriage
    dating heartbreak breakup single soulmate valentine`,
  home: `home house flat apartment room sofa couch balcony neighbourhood neighborhood city town village moved moving
    furniture rent`,
  sleep: `sleep sleeping slept sleepy asleep dream dreaming dreamed dreamt nightmare insomnia nap bed bedtime awake
    tired pillow midnight`,
  art: `art artist draw drawing drew paint painting painted sketch museum gallery photo photography photographer camera
    sculpture design designer knit knitting crochet craft pottery theatre theater dance dancing danced ballet`,
  technology: `technology tech computer laptop phone smartphone app internet software code coding programming programmer
    developer robot ai gadget website algorithm iphone android`,
  space: `space universe planet star galaxy galaxies moon mars rocket nasa astronaut astronomy telescope alien
    eclipse comet constellation`,
  languages: `language english spanish french german italian portuguese japanese chinese korean arabic russian polish
    hindi turkish dutch swedish fluent accent grammar translate translation duolingo vocabulary dialect`,
  feelings: `feel feeling felt happy happiness sad sadness lonely loneliness anxious anxiety nervous stressed stress
    excited proud angry afraid scared worried overwhelmed grateful mood bored cry cried crying hopeful`,
};

const topicOfWord: ReadonlyMap<string, Topic> = new Map(
  topics.flatMap((topic) => wordsOfTopics[topic].split(/\s+/).map((word): [string, Topic] => [word, topic])),
);

const findTopic = (word: string): Topic | undefined =>
  topicOfWord.get(word) ??
  (word.endsWith('s') ? topicOfWord.get(word.slice(0, -1)) : undefined) ??
  (word.endsWith('es') ? topicOfWord.get(word.slice(0, -2)) : undefined);

const wordPattern = /[\p{L}\p{M}]+/gu;

/**
 * Finds the topics that texts mention, in time linear in their length.
 * @returns each topic once, in the order of `topics`
 */
export const findTopics = (texts: readonly string[]): Topic[] => {
  const found = new Set<Topic>();
  for (const text of texts) {
    for (const [word] of text.normalize('NFC').toLowerCase().matchAll(wordPattern)) {
      const topic = findTopic(word);
      if (topic) found.add(topic);
    }
  }
  return topics.filter((topic) => found.has(topic));
};
