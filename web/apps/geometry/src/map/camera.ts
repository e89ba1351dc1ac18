// The camera: the map pixel in the middle of the view, and the zoom. Pure arithmetic.

export interface Camera {
  readonly x: number;
  readonly y: number;
  /** Page pixels per map pixel. */
  readonly zoom: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Extent {
  readonly width: number;
  readonly height: number;
}

export interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Map pixels in one unit of the grid. */
export const GRID_PIXELS = 100;
export const ZOOM_MIN = 0.05;
export const ZOOM_MAX = 10;
/** Positions beyond are not exact where 32 bits are used for them. */
export const PLACE_MAX = 2 ** 31 - 1;

export interface Region extends Camera {
  readonly title: string;
}

/** The named regions; positions in grid units. */
export const REGIONS = {
  origin: { x: 0, y: 0, zoom: 1, title: "Origin" },
  antigravity_prime: { x: 8192, y: 8192, zoom: 0.5, title: "Antigravity Prime" },
  neural_nursery: { x: 1024, y: 1024, zoom: 1, title: "Neural Nursery" },
  system_console: { x: 2, y: 2, zoom: 2, title: "System Console" },
} as const satisfies Readonly<Record<string, Region>>;

export type RegionName = keyof typeof REGIONS;

export function isRegionName(name: unknown): name is RegionName {
  return typeof name === "string" && Object.hasOwn(REGIONS, name);
}

/** The nearest camera within the map's limits. */
export function allowed({ x, y, zoom }: Camera): Camera {
  return {
    x: within(x, -PLACE_MAX, PLACE_MAX),
    y: within(y, -PLACE_MAX, PLACE_MAX),
    zoom: within(zoom, ZOOM_MIN, ZOOM_MAX),
  };
}

export function visibleBounds({ x, y, zoom }: Camera, { width, height }: Extent): Bounds {
  const [halfWidth, halfHeight] = [width / 2 / zoom, height / 2 / zoom];
  return { left: x - halfWidth, top: y - halfHeight, right: x + halfWidth, bottom: y + halfHeight };
}

/** The map position under a point of the view. */
export function placeAt(camera: Camera, view: Extent, point: Point): Point {
  return {
    x: camera.x + (point.x - view.width / 2) / camera.zoom,
    y: camera.y + (point.y - view.height / 2) / camera.zoom,
  };
}

/** The point of the view at a map position: the inverse of `placeAt`. */
export function pointOf(camera: Camera, view: Extent, place: Point): Point {
  return {
    x: (place.x - camera.x) * camera.zoom + view.width / 2,
    y: (place.y - camera.y) * camera.zoom + view.height / 2,
  };
}

/** Zooms; the map position under the point stays there. */
export function zoomedAt(camera: Camera, view: Extent, point: Point, factor: number): Camera {
  const zoom = within(camera.zoom * factor, ZOOM_MIN, ZOOM_MAX);
  const { x, y } = placeAt(camera, view, point);
  return allowed({ x: x - (point.x - view.width / 2) / zoom, y: y - (point.y - view.height / 2) / zoom, zoom });
}

export function pannedBy(camera: Camera, dx: number, dy: number): Camera {
  return allowed({ ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom });
}

/** The camera that shows a whole rectangle with some space around it. */
export function showing(bounds: Bounds, view: Extent, room = 1.25): Camera {
  const [width, height] = [Math.max(1, bounds.right - bounds.left), Math.max(1, bounds.bottom - bounds.top)];
  const zoom = Math.min(view.width / width, view.height / height) / room;
  return allowed({ x: (bounds.left + bounds.right) / 2, y: (bounds.top + bounds.bottom) / 2, zoom });
}

export function within(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}
