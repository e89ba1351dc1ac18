// What this extension uses of the browser's interface for extensions, and nothing else.

declare namespace chrome {
  export interface Event<Listener extends (...args: never[]) => unknown> {
    addListener(listener: Listener): void;
  }

  namespace Debugger {
    interface Debuggee {
      readonly tabId?: number;
    }
    interface Session extends Debuggee {
      /** Of a frame in it. */
      readonly sessionId?: string;
    }
    interface TargetInfo {
      readonly id: string;
      readonly tabId?: number;
      readonly type: string;
    }
    function attach(target: Debuggee, version: string): Promise<void>;
    function detach(target: Debuggee): Promise<void>;
    function sendCommand(target: Session, method: string, params?: object): Promise<object | undefined>;
    function getTargets(): Promise<TargetInfo[]>;
    const onEvent: Event<(source: Session, method: string, params?: object) => void>;
    const onDetach: Event<(source: Debuggee, reason: string) => void>;
  }

  export { Debugger as debugger };

  export namespace tabs {
    interface Tab {
      readonly id?: number;
      readonly url?: string;
      readonly pendingUrl?: string;
      readonly title?: string;
      readonly windowId: number;
      readonly discarded: boolean;
    }
    function get(tabId: number): Promise<Tab>;
    function query(what: { active?: boolean; currentWindow?: boolean }): Promise<Tab[]>;
    function remove(tabId: number): Promise<void>;
    const onUpdated: Event<(tabId: number, change: { url?: string; status?: string }, tab: Tab) => void>;
    const onAttached: Event<(tabId: number, where: { newWindowId: number }) => void>;
    const onRemoved: Event<(tabId: number) => void>;
    const onReplaced: Event<(added: number, removed: number) => void>;
  }

  export namespace storage {
    interface Area {
      get(keys: string | readonly string[]): Promise<Record<string, unknown>>;
      set(items: Record<string, unknown>): Promise<void>;
      remove(keys: string | readonly string[]): Promise<void>;
    }
    const local: Area;
    const session: Area;
  }

  export namespace alarms {
    function create(name: string, when: { periodInMinutes: number }): Promise<void>;
    const onAlarm: Event<(alarm: { name: string }) => void>;
  }

  export namespace action {
    function setBadgeText(details: { tabId?: number; text: string }): Promise<void>;
    function setBadgeBackgroundColor(details: { tabId?: number; color: string }): Promise<void>;
    function setTitle(details: { tabId?: number; title: string }): Promise<void>;
    function setPopup(details: { tabId?: number; popup: string }): Promise<void>;
    const onClicked: Event<(tab: tabs.Tab) => void>;
  }

  export namespace runtime {
    const id: string;
    function getManifest(): { version: string; permissions: readonly string[] };
    function sendMessage(message: object): Promise<unknown>;
    const onMessage: Event<
      (message: unknown, sender: { id?: string; url?: string }, answer: (value: unknown) => void) => boolean
    >;
    const onInstalled: Event<() => void>;
    const onStartup: Event<() => void>;
  }
}
