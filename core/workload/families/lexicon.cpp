#include "core/workload/families/lexicon.h"

#include <set>

namespace kvantage::inline text_families {
namespace {

constexpr auto first_name_words = std::to_array<std::string_view>(
    {"Ada",     "Adela",   "Agnes",   "Alan",    "Albert",  "Alice",    "Alma",     "Amos",     "Andrew",  "Anna",
     "Arthur",  "Astrid",  "Aurora",  "Barbara", "Basil",   "Beatrix",  "Bella",    "Benedict", "Bernard", "Bertha",
     "Boris",   "Bridget", "Bruno",   "Camilla", "Carl",    "Cecil",    "Celia",    "Charles",  "Clara",   "Claude",
     "Clement", "Conrad",  "Cora",    "Cyril",   "Dagmar",  "Daniel",   "Daphne",   "Delia",    "Dennis",  "Dina",
     "Dora",    "Duncan",  "Edgar",   "Edith",   "Edmund",  "Edwin",    "Elena",    "Elias",    "Elsa",    "Emil",
     "Emma",    "Enid",    "Erik",    "Ernest",  "Esther",  "Ethel",    "Eugene",   "Eva",      "Fabian",  "Felix",
     "Fiona",   "Flora",   "Francis", "Frida",   "Gabriel", "George",   "Gerda",    "Gilbert",  "Gloria",  "Greta",
     "Gustav",  "Gwen",    "Harold",  "Harriet", "Hazel",   "Hector",   "Hedwig",   "Helen",    "Henry",   "Herbert",
     "Hilda",   "Horace",  "Howard",  "Hugo",    "Ida",     "Ignatius", "Igor",     "Imogen",   "Ingrid",  "Irene",
     "Iris",    "Isaac",   "Ivan",    "Ivy",     "Jacob",   "Jasper",   "Jerome",   "Joan",     "Jonas",   "Judith",
     "Julian",  "Juno",    "Karin",   "Kaspar",  "Katya",   "Kurt",     "Lambert",  "Laura",    "Lena",    "Leon",
     "Leopold", "Lionel",  "Lorenz",  "Louis",   "Lucia",   "Ludwig",   "Lydia",    "Mabel",    "Magnus",  "Mara",
     "Marco",   "Martha",  "Matilda", "Max",     "Miriam",  "Morris",   "Muriel",   "Nadia",    "Nathan",  "Nelly",
     "Nigel",   "Nina",    "Nora",    "Norbert", "Octavia", "Odette",   "Olga",     "Olive",    "Oscar",   "Otto",
     "Owen",    "Pamela",  "Paul",    "Pearl",   "Percy",   "Petra",    "Philip",   "Phoebe",   "Quentin", "Quinn",
     "Rafael",  "Ralph",   "Regina",  "Reuben",  "Rita",    "Robert",   "Roland",   "Rosa",     "Rufus",   "Rupert",
     "Ruth",    "Sabina",  "Samuel",  "Selma",   "Silas",   "Simon",    "Sonia",    "Stella",   "Sylvia",  "Tamara",
     "Theo",    "Thomas",  "Tilda",   "Tobias",  "Ulric",   "Ursula",   "Valentin", "Vera",     "Victor",  "Viola",
     "Walter",  "Wanda",   "Wilfred", "Wilma",   "Xavier",  "Yara",     "Yvonne",   "Zelda",    "Zeno"});

constexpr auto last_name_words = std::to_array<std::string_view>(
    {"Abbot",   "Acker",    "Alder",    "Ambrose",  "Archer",   "Arden",   "Ash",      "Atwood",    "Bailey",
     "Baker",   "Banks",    "Barlow",   "Barrow",   "Bauer",    "Beck",    "Bellamy",  "Birch",     "Blackwell",
     "Bloom",   "Bolt",     "Bond",     "Bower",    "Boyle",    "Bramley", "Brandt",   "Brewer",    "Briggs",
     "Brook",   "Burke",    "Byrne",    "Calder",   "Cantor",   "Carver",  "Castle",   "Chandler",  "Chase",
     "Clay",    "Cobb",     "Cole",     "Collins",  "Cooper",   "Corbin",  "Crane",    "Cross",     "Dale",
     "Dalton",  "Darby",    "Dean",     "Decker",   "Dorn",     "Drake",   "Drummond", "Dutton",    "Eaton",
     "Ellis",   "Elwood",   "Emerson",  "Engel",    "Everett",  "Fairfax", "Farrow",   "Fenton",    "Finch",
     "Fischer", "Fletcher", "Forrest",  "Foster",   "Fowler",   "Frost",   "Fuller",   "Gale",      "Garner",
     "Garrick", "Gibbs",    "Glover",   "Goddard",  "Graham",   "Granger", "Gray",     "Grove",     "Hale",
     "Hammond", "Harding",  "Harker",   "Hart",     "Hawkins",  "Hayes",   "Heath",    "Hobbs",     "Holland",
     "Holt",    "Hooper",   "Hudson",   "Hume",     "Hunter",   "Hyde",    "Ingram",   "Jarvis",    "Jensen",
     "Keller",  "Kemp",     "Kepler",   "Kirby",    "Klein",    "Knox",    "Lambeth",  "Lane",      "Larkin",
     "Lawson",  "Lindgren", "Locke",    "Lowell",   "Lund",     "Mallory", "Marlow",   "Marsh",     "Mason",
     "Mercer",  "Merritt",  "Milner",   "Moss",     "Mott",     "Nash",    "Neville",  "Norris",    "North",
     "Nye",     "Oakley",   "Osborn",   "Paget",    "Palmer",   "Parrish", "Payne",    "Pell",      "Perkins",
     "Pike",    "Porter",   "Potter",   "Powell",   "Prescott", "Pryor",   "Quill",    "Radley",    "Ramsey",
     "Reeve",   "Rhodes",   "Ridley",   "Rowe",     "Russell",  "Ryder",   "Sawyer",   "Selby",     "Sexton",
     "Shaw",    "Shelton",  "Sinclair", "Slater",   "Snow",     "Sparks",  "Steele",   "Stone",     "Sutton",
     "Talbot",  "Tanner",   "Tate",     "Thatcher", "Thorn",    "Tucker",  "Turner",   "Underhill", "Vale",
     "Vance",   "Vaughn",   "Wade",     "Walsh",    "Ward",     "Warren",  "Webb",     "Wells",     "Weston",
     "Whitman", "Wilder",   "Winter",   "Wolfe",    "Woodward", "Wright",  "Yates",    "York",      "Zeller"});

constexpr auto city_words = std::to_array<std::string_view>(
    {"Norfield",   "Ashford",  "Brantley", "Caldera", "Dunmore",   "Eastwick", "Fairhaven", "Glenrock", "Harwich",
     "Ironbridge", "Kestrel",  "Lakeport", "Marlin",  "Newhaven",  "Oldham",   "Pinecrest", "Quarry",   "Ravenna",
     "Stonehill",  "Thornton", "Upland",   "Valmont", "Westbrook", "Yarrow",   "Zenith",    "Alton",    "Belmont",
     "Carston",    "Dorset",   "Elmira",   "Fenwick", "Granada",   "Halden",   "Ilford",    "Juneau",   "Kelso",
     "Lisbon",     "Milford",  "Nantes",   "Orford",  "Preston",   "Redmond",  "Salem",     "Tilbury",  "Utrecht",
     "Verona",     "Windsor",  "Bergen",   "Calais",  "Dover",     "Essen",    "Florence",  "Geneva",   "Hamburg",
     "Izmir",      "Kiel",     "Linz",     "Malmo",   "Naples",    "Odense",   "Parma",     "Rouen",    "Seville",
     "Trieste",    "Uppsala",  "Vigo",     "Warsaw",  "Zagreb",    "Riga",     "Porto"});

constexpr auto color_words = std::to_array<std::string_view>(
    {"amber",     "azure", "beige",  "black",  "blue",   "bronze", "brown",   "coral",  "crimson", "cyan",
     "golden",    "green", "grey",   "indigo", "ivory",  "lilac",  "maroon",  "navy",   "ochre",   "orange",
     "pink",      "plum",  "purple", "red",    "rose",   "ruby",   "scarlet", "silver", "tan",     "teal",
     "turquoise", "umber", "violet", "white",  "yellow", "copper", "jade",    "mint",   "pearl",   "slate"});

// 16 objects a class; the order of the classes: tools, animals, food, clothes, instruments, vehicles, plants,
// furniture.
constexpr auto object_words = std::to_array<std::string_view>(
    {"hammer", "chisel",   "wrench",   "saw",     "drill",   "pliers",  "shovel",  "axe",
     "ladder", "anvil",    "rake",     "trowel",  "crowbar", "clamp",   "mallet",  "file",  //
     "otter",  "falcon",   "badger",   "heron",   "lynx",    "beaver",  "raven",   "hedgehog",
     "salmon", "tortoise", "weasel",   "stag",    "owl",     "goat",    "hare",    "swan",  //
     "bread",  "cheese",   "butter",   "honey",   "apple",   "walnut",  "pepper",  "soup",
     "cake",   "onion",    "olive",    "barley",  "raisin",  "carrot",  "biscuit", "pastry",  //
     "coat",   "scarf",    "glove",    "boot",    "hat",     "shirt",   "belt",    "cloak",
     "apron",  "sandal",   "jacket",   "vest",    "sock",    "collar",  "ribbon",  "robe",  //
     "violin", "flute",    "trumpet",  "drum",    "harp",    "cello",   "piano",   "guitar",
     "oboe",   "banjo",    "lute",     "organ",   "cymbal",  "tuba",    "viola",   "whistle",  //
     "wagon",  "ferry",    "tram",     "bicycle", "sledge",  "canoe",   "lorry",   "train",
     "barge",  "carriage", "tractor",  "glider",  "rowboat", "scooter", "cart",    "bus",  //
     "maple",  "fern",     "tulip",    "cedar",   "willow",  "poppy",   "clover",  "orchid",
     "nettle", "daisy",    "ivy",      "thistle", "juniper", "lotus",   "reed",    "moss",  //
     "table",  "chair",    "cupboard", "bench",   "drawer",  "mirror",  "lantern", "carpet",
     "bed",    "desk",     "stool",    "curtain", "clock",   "candle",  "basket",  "chest"});
static_assert(object_words.size() % object_classes == 0);

constexpr auto document_words =
    std::to_array<std::string_view>({"badge", "permit", "locker", "account", "code", "phone", "route", "ticket",
                                     "licence", "passport", "invoice", "contract", "card", "seat"});

constexpr auto deliverable_words = std::to_array<std::string_view>(
    {"report", "budget",    "draft",    "slides", "survey", "proposal",  "schedule", "memo",  "blueprint", "summary",
     "agenda", "prototype", "estimate", "manual", "letter", "catalogue", "forecast", "audit", "brochure",  "sketch"});

constexpr auto department_words = std::to_array<std::string_view>(
    {"finance", "design", "research", "legal", "sales", "support", "logistics", "security", "training", "archive",
     "planning", "printing", "harbour", "press", "repair", "testing"});

constexpr auto building_words = std::to_array<std::string_view>(
    {"bridge",   "museum", "bakery",      "school",     "library", "theatre",  "mill",    "station",
     "hospital", "market", "tower",       "garden",     "factory", "hotel",    "stadium", "brewery",
     "gallery",  "tavern", "observatory", "lighthouse", "chapel",  "workshop", "clinic",  "warehouse"});

constexpr auto room_words = std::to_array<std::string_view>(
    {"cellar",    "attic",  "kitchen",   "barn",    "pantry",     "stable", "vault",   "hall",
     "chimney",   "shed",   "well",      "loft",    "greenhouse", "study",  "porch",   "corridor",
     "dungeon",   "cabin",  "nursery",   "laundry", "orchard",    "crypt",  "balcony", "closet",
     "courtyard", "tunnel", "boathouse", "armoury", "dairy",      "kennel", "parlour", "garage"});

constexpr auto label_words = std::to_array<std::string_view>(
    {"alpha", "beta", "gamma",   "delta", "epsilon", "zeta",  "eta", "theta",   "iota", "kappa", "lambda", "mu",
     "nu",    "xi",   "omicron", "pi",    "rho",     "sigma", "tau", "upsilon", "phi",  "chi",   "psi",    "omega"});

constexpr auto day_words = std::to_array<std::string_view>(
    {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "January", "February", "March",
     "April", "May", "June", "July", "August", "September", "October", "November", "December"});

constexpr auto module_words = std::to_array<std::string_view>(
    {"cache",      "server",    "client",   "router",     "gateway",    "broker",   "worker",   "scheduler", "parser",
     "engine",     "kernel",    "driver",   "buffer",     "queue",      "logger",   "monitor",  "balancer",  "proxy",
     "registry",   "indexer",   "crawler",  "encoder",    "decoder",    "renderer", "mailer",   "planner",   "profiler",
     "sampler",    "tracer",    "watcher",  "backup",     "cluster",    "compiler", "console",  "daemon",    "database",
     "dispatcher", "firewall",  "frontend", "backend",    "listener",   "loader",   "mixer",    "network",   "observer",
     "packer",     "pipeline",  "plugin",   "printer",    "reader",     "replica",  "resolver", "sandbox",   "scanner",
     "session",    "shard",     "sink",     "socket",     "spooler",    "storage",  "stream",   "tokenizer", "uploader",
     "validator",  "writer",    "archiver", "allocator",  "collector",  "emitter",  "exporter", "fetcher",   "filter",
     "handler",    "importer",  "injector", "launcher",   "linker",     "manager",  "mapper",   "merger",    "migrator",
     "notifier",   "optimizer", "poller",   "processor",  "publisher",  "reducer",  "reporter", "runner",    "shipper",
     "signer",     "sorter",    "splitter", "subscriber", "supervisor", "switch",   "syncer",   "terminal",  "tuner",
     "verifier"});

constexpr auto setting_words = std::to_array<std::string_view>(
    {"port",   "timeout", "retries",   "threads", "depth",    "size",     "limit",  "delay",  "quota",    "rate",
     "window", "offset",  "weight",    "budget",  "capacity", "interval", "level",  "margin", "priority", "seed",
     "slots",  "stride",  "threshold", "width",   "height",   "batch",    "burst",  "chunk",  "copies",   "decay",
     "epoch",  "factor",  "gain",      "hops",    "jitter",   "lag",      "length", "period", "range",    "ttl"});

constexpr auto adjective_words = std::to_array<std::string_view>(
    {"old",    "quiet", "little",  "broad",   "narrow",  "warm",  "cold",    "bright", "dark",  "gentle",
     "heavy",  "light", "young",   "ancient", "distant", "empty", "crowded", "busy",   "calm",  "clever",
     "damp",   "dusty", "early",   "late",    "faint",   "grand", "humble",  "idle",   "jolly", "lonely",
     "modest", "noisy", "patient", "plain",   "proud",   "rough", "smooth",  "steep",  "tired", "weary"});

constexpr auto noun_words = std::to_array<std::string_view>(
    {"river",    "wind",   "street",  "crowd",   "valley",  "meadow",   "forest",  "hill",      "shore",    "village",
     "road",     "field",  "cloud",   "storm",   "shadow",  "window",   "door",    "roof",      "wall",     "gate",
     "fence",    "path",   "brook",   "island",  "harvest", "morning",  "evening", "winter",    "summer",   "traveller",
     "farmer",   "sailor", "teacher", "painter", "baker",   "shepherd", "miller",  "neighbour", "stranger", "child",
     "dog",      "horse",  "cat",     "bird",    "fire",    "lamp",     "bell",    "song",      "voice",    "thunder",
     "fountain", "square", "canal",   "pond",    "cliff",   "cave",     "beach",   "moon",      "star",     "rain"});

constexpr auto past_verb_words = std::to_array<std::string_view>(
    {"moved",    "rested",    "waited", "wandered", "slept",    "turned", "drifted",  "lingered",
     "vanished", "appeared",  "rose",   "fell",     "grew",     "faded",  "shone",    "sang",
     "walked",   "stood",     "leaned", "listened", "hurried",  "paused", "returned", "settled",
     "trembled", "whispered", "danced", "crossed",  "followed", "passed"});

constexpr auto adverb_words = std::to_array<std::string_view>(
    {"slowly", "softly", "often", "again", "quickly", "rarely",   "gladly", "sadly",   "suddenly", "calmly",
     "nearly", "always", "never", "today", "later",   "together", "alone",  "outside", "nearby",   "silently"});

constexpr auto verb_words = std::to_array<NewsVerb>({{"opened", "open"},
                                                     {"closed", "close"},
                                                     {"visited", "visit"},
                                                     {"sold", "sell"},
                                                     {"bought", "buy"},
                                                     {"repaired", "repair"},
                                                     {"painted", "paint"},
                                                     {"founded", "found"},
                                                     {"praised", "praise"},
                                                     {"inspected", "inspect"},
                                                     {"rented", "rent"},
                                                     {"designed", "design"}});

constexpr auto function_word_words = std::to_array<std::string_view>(
    {"The",     "the",      "of",       "is",       "was",      "What",       "what",     "Which",  "which",
     "Where",   "When",     "Who",      "does",     "did",      "will",       "hold",     "holds",  "list",
     "Records", "for",      "as",       "Item",     "shelf",    "price",      "lies",     "on",     "and",
     "costs",   "in",       "In",       "On",       "a",        "an",         "to",       "by",     "keeps",
     "keep",    "hides",    "left",     "puts",     "Every",    "Once",       "more",     "They",   "say",
     "that",    "Everyone", "knew",     "send",     "promised", "agreed",     "whom",     "To",     "At",
     "meeting", "set",      "Set",      "value",    "Input",    "Label",      "label",    "fits",   "example",
     "secret",  "number",   "password", "from",     "with",     "at",         "near",     "under",  "over",
     "behind",  "beside",   "before",   "after",    "while",    "There",      "no",       "some",   "A",
     "One",     "Nobody",   "saw",      "heard",    "It",       "had",        "been",     "long",   "into",
     "through", "until",    "when",     "where",    "their",    "his",        "her",      "its",    "they",
     "he",      "she",      "Note",     "Remember", "Please",   "according",  "text",     "Answer", "Question",
     "total",   "amount",   "paid",     "received", "order",    "same",       "line",     "entry",  "next",
     "then",    "first",    "last",     "all",      "between",  "about",      "news",     "given",  "got",
     "has",     "have",     "be",       "are",      "were",     "not",        "this",     "This",   "only",
     "also",    "but",      "or",       "if",       "so",       "up",         "down",     "out",    "day",
     "Both",    "Some",     "Few",      "works",    "team",     "department", "assigned", "lives",  "owns",
     "likes",   "city",     "name",     "person",   "colour",   "room",       "store",    "ledger", "balance",
     "spent",   "month",    "year",     "week"});

template <std::size_t N>
WordList as_list(const std::array<std::string_view, N>& words) {
  return words;
}

std::vector<std::string> collect_pieces() {
  std::set<std::string> pieces;
  const auto add = [&pieces](std::string_view word, bool with_space) {
    std::string piece(with_space ? 1 : 0, ' ');
    pieces.insert(piece.append(word));
  };
  for (WordList list : {first_names(), last_names(), cities(), colors(), objects(), documents(), deliverables(),
                        departments(), buildings(), rooms(), labels(), days(), modules(), adjectives(), nouns(),
                        past_verbs(), adverbs(), function_words()})
    for (std::string_view word : list) add(word, true);
  for (const NewsVerb& verb : news_verbs()) {
    add(verb.past, true);
    add(verb.base, true);
  }
  for (std::string_view word : settings()) add(word, false);
  for (char digit = '0'; digit <= '9'; ++digit) {
    pieces.insert(std::string(1, digit));
    pieces.insert(std::string{' ', digit});
  }
  for (const char* mark : {".", ",", ":", ";", "?", "-", " ="}) pieces.insert(mark);
  return {pieces.begin(), pieces.end()};
}

}  // namespace

WordList first_names() { return as_list(first_name_words); }
WordList last_names() { return as_list(last_name_words); }
WordList cities() { return as_list(city_words); }
WordList colors() { return as_list(color_words); }
WordList objects() { return as_list(object_words); }
WordList objects_of_class(std::size_t class_index) {
  constexpr std::size_t size = object_words.size() / object_classes;
  return objects().subspan(class_index * size, size);
}
WordList documents() { return as_list(document_words); }
WordList deliverables() { return as_list(deliverable_words); }
WordList departments() { return as_list(department_words); }
WordList buildings() { return as_list(building_words); }
WordList rooms() { return as_list(room_words); }
WordList labels() { return as_list(label_words); }
WordList days() { return as_list(day_words); }
WordList modules() { return as_list(module_words); }
WordList settings() { return as_list(setting_words); }
WordList adjectives() { return as_list(adjective_words); }
WordList nouns() { return as_list(noun_words); }
WordList past_verbs() { return as_list(past_verb_words); }
WordList adverbs() { return as_list(adverb_words); }
std::span<const NewsVerb> news_verbs() { return verb_words; }
WordList function_words() { return as_list(function_word_words); }

const std::vector<std::string>& lexicon_pieces() {
  static const std::vector<std::string> pieces = collect_pieces();
  return pieces;
}

}  // namespace kvantage::inline text_families
