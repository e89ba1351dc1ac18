// Every limit of the clients, by name. Those of the wire are the hub's (crates/eye-protocol/src/limits.rs).

import { FRAME_BYTES_MAX } from "../generated/protocol.js";

export { BATCH_FRAMES_MAX, FRAME_BYTES_MAX, MESSAGE_BYTES_MAX } from "../generated/protocol.js";

/** A message is sent once it holds about this much, so that a large answer does not wait for small ones. */
export const MESSAGE_CHARS_GOAL = 1024 * 1024;

/** Answers wait for company no longer than this. */
export const FLUSH_MS = 1;

/** A value with more members than this needs more than two bytes for each, and so more than a frame. */
export const VALUE_MEMBERS_MAX = FRAME_BYTES_MAX / 2;

/** Below the 128 levels at which common JSON parsers stop. */
export const VALUE_DEPTH_MAX = 100;

/** What JSON cannot hold exactly is copied before it is written; the copy stops here. */
export const COPY_MEMBERS_MAX = 1_000_000;
export const COPY_INSTANCES_MAX = 10_000;
export const COPY_INSTANCE_DEPTH_MAX = 4;

export const ELEMENT_TEXT_CHARS_MAX = 40;
export const ELEMENT_TEXT_NODES_MAX = 64;
export const TYPED_ARRAY_ITEMS_MAX = 32;
export const FUNCTION_CHARS_MAX = 80;
export const ERROR_CHARS_MAX = 64 * 1024;
export const STACK_CHARS_MAX = 8 * 1024;

/** A patch up to this is sent even when the document is shorter: it tells what changed, which the whole does not. */
export const PATCH_CHARS_ALWAYS = 1024;
export const STATE_THROTTLE_MS = 50;

export const PROGRAMS_KEPT_MAX = 256;
export const PROGRAM_CHARS_KEPT_MAX = 64 * 1024;
export const CUT_TRIES_MAX = 16;

/** What a page logged is kept as short texts, and only the last of it. */
export const LOG_ENTRIES_MAX = 256;
export const LOG_READERS_MAX = 64;
export const LOG_MEMBERS_MAX = 64;
export const LOG_TEXT_CHARS_MAX = 2048;

/** How long a verb waits that says nothing of it, and how often it looks while nothing seems to happen. */
export const WAIT_MS = 30_000;
export const WAIT_LOOK_MS = 100;
export const ACT_MS = 5_000;
/** Longer than a frame, for tabs that have none. */
export const READY_LOOK_MS = 40;
/** After an action the page is given time to follow: until it is quiet, and longer while requests are under way. */
export const SETTLE_QUIET_MS = 60;
/** While nothing has changed yet, it is given longer to begin: menus open late, those of a hover later still. */
export const SETTLE_FIRST_MS = 150;
export const SETTLE_HOVER_MS = 400;
export const SETTLE_MS_MAX = 600;
export const SETTLE_REQUESTS_MS_MAX = 2_000;
/** A frame counts for no more: in a longer one the page, or the machine, had no time for what was due. */
export const SETTLE_FRAME_MS_MAX = 100;
/** Style rules that are read for what a real pointer would show. */
export const HOVER_RULES_MAX = 20_000;
/** Between pressing and releasing: Excalidraw's text tool takes anything below 80 ms for a slip. */
export const PRESS_MS = 100;
export const PRESS_MS_MAX = 10_000;
/** So many keys at most move a slider that takes nothing but keys. */
export const SLIDER_KEYS_MAX = 1_000;
export const DRAG_STEPS = 8;
/** The event comes with the first frame, what is drawn for it with the second. */
export const SCROLL_FRAMES = 3;
/** A page that scrolls smoothly by the wheel comes to rest within so many frames. */
export const SCROLL_REST_FRAMES_MAX = 60;
/** A slider with real hands is moved by keys, if it takes no more than so many. */
export const SLIDER_REAL_KEYS_MAX = 100;
/** An editor that kept what was to be replaced gets so many more tries, after so long a pause. */
export const REFILL_TRIES_MAX = 4;
export const REFILL_PAUSE_MS = 120;

export const TOPIC_REQUEST_MS = 5_000;
/** What a page may tell agents, and ask of the hub, before it has joined. */
export const UNSENT_MAX = 100;

/** How long a call's answer is held back when the call seems to have started a navigation. */
export const NAVIGATION_MS = 3000;
/** After this a navigation that has not happened is forgotten. */
export const LEAVING_MS = 30_000;
/** How long goto, back and forward wait for where they go, below the time after which the hub gives up. */
export const TRAVEL_MS = 9_000;
/** How long the first outline of a page that is loading waits for something to see. */
export const LOADED_MS = 10_000;

/** How often, and how many times, a page that was just loaded is looked at for a tool that was called. */
export const TOOL_LOOK_MS = 50;
export const TOOL_LOOKS_MAX = 40;

/** How long a reloaded page waits for the lock that its former document is about to release. */
export const LOCK_WAIT_MS = 5_000;
/** How long a tab that answered for its session goes on living before it is believed to be another tab. */
export const HOLDER_MS = 300;

export const RETRY_FIRST_MS = 100;
export const RETRY_VISIBLE_MS_MAX = 2000;
export const RETRY_HIDDEN_MS_MAX = 5000;

/** An outline shows no more of a name, a value or a text than this. */
export const OUTLINE_NAME_CHARS_MAX = 80;
export const OUTLINE_VALUE_CHARS_MAX = 60;
export const OUTLINE_TEXT_CHARS_MAX = 100;
export const OUTLINE_OPTIONS_MAX = 4;
/** Of a text whose lines count, so many are shown. */
export const OUTLINE_PRE_LINES_MAX = 12;
export const OUTLINE_LINES_MAX = 300;
export const OUTLINE_LINES_ALL_MAX = 5_000;
/** Of a row longer than this, each piece gets a line. */
export const OUTLINE_ROW_CHARS_MAX = 240;
/** So many of a list are shown; a list that is hardly longer is shown whole. */
export const OUTLINE_ALIKE_SHOWN = 8;
export const OUTLINE_ALIKE_MAX = 12;
/** Refs whose elements are gone are forgotten beyond this. */
export const REFS_MAX = 20_000;
/** Whose last look is remembered. */
export const LOOK_AGENTS_MAX = 16;
export const CHANGES_MAX = 24;
export const GONE_MAX = 5;
/** Lines that changed only their place, told at once. */
export const MOVES_MAX = 8;
export const GONE_SHOWN = 3;
export const CANDIDATES_MAX = 6;
/** Forms that become tools are looked for this long after the document has changed. */
export const FORM_LOOK_MS = 100;
/** So many tools are put into a `document.modelContext` that is not the whole one: some stop working with more. */
export const PARTIAL_TOOLS_MAX = 30;

/** How long an element is shown to the person where the agent says nothing. */
export const HIGHLIGHT_MS = 2000;
export const HIGHLIGHT_MS_MAX = 10_000;

/** The latest requests that `requests` lists; a browser remembers about as many. */
export const REQUESTS_MAX = 250;
export const REQUEST_URL_CHARS_MAX = 500;
