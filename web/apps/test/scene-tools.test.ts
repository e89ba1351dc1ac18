// The scene's tools over the plain document, as the original's table says them and without its flaws.

import assert from "node:assert/strict";
import { test } from "node:test";
import { COLOUR_REFUSAL, CRAYON_NAMES } from "../scene/src/colour.js";
import { INITIAL, type SceneModel } from "../scene/src/model.js";
import type { Outcome, SceneTool } from "../scene/src/tools/define.js";
import { Refusal } from "../scene/src/tools/parameter.js";
import { TOOLS } from "../scene/src/tools/table.js";

const AROUND = {
  now: () => new Date("2026-01-02T03:04:05.678Z"),
  url: () => "http://localhost:8765/apps/scene/",
  session: () => "s1",
};

type Args = Readonly<Record<string, unknown>>;

function named(name: string): SceneTool {
  const tool = TOOLS.find((one) => one.name === name);
  assert.ok(tool, `there is no tool ${name}`);
  return tool;
}

function call(name: string, args: Args = {}, scene: SceneModel = INITIAL): Required<Outcome> {
  return { scene, value: {}, ...named(name).run(scene, args, AROUND) };
}

function text(name: string, args: Args = {}, scene: SceneModel = INITIAL): string {
  return call(name, args, scene).text;
}

function refused(name: string, args: Args): string {
  try {
    call(name, args);
  } catch (error) {
    assert.ok(error instanceof Refusal, String(error));
    return error.message;
  }
  return assert.fail(`${name} took ${JSON.stringify(args)}`);
}

const each = (...ways: string[]) =>
  ["key", "fill"].flatMap((word) => ways.map((way) => way.replace("LIGHT", `${word}_light`)));

test("every tool of the original is there, with its title, and three more", () => {
  const originals = [
    "change_model_color change_model_size scale_model set_model_rotation rotate_model_clockwise rotate_model_counterclockwise",
    "nudge_model_pitch_up nudge_model_pitch_down nudge_model_roll change_background_color",
    "dolly_camera dolly_camera_in dolly_camera_out set_camera_fov increase_camera_fov decrease_camera_fov",
    "get_model_color get_model_scale get_model_rotation get_background_color get_camera_distance get_camera_fov get_browser_connection_url",
    "hello_3d_app get_3d_app open_3d_app connect_3d_app launch_3d_visualization get_3d_visualization_url",
  ].flatMap((line) => line.split(" "));
  const lights = each(
    ...[
      "set_LIGHT_intensity",
      "set_LIGHT_color",
      "set_LIGHT_position_spherical",
      "set_LIGHT_distance",
      "move_LIGHT_toward_direction",
    ],
    ...[
      "swing_LIGHT_up",
      "swing_LIGHT_down",
      "swing_LIGHT_left",
      "swing_LIGHT_right",
      "walk_LIGHT_in",
      "walk_LIGHT_out",
    ],
    ...[
      "rotate_LIGHT_clockwise",
      "rotate_LIGHT_counterclockwise",
      "nudge_LIGHT_elevation_up",
      "nudge_LIGHT_elevation_down",
    ],
    ...["get_LIGHT_intensity", "get_LIGHT_color", "get_LIGHT_position_spherical", "get_LIGHT_size"],
  );
  assert.equal(originals.length + lights.length, 67);
  const wanted = [...originals, ...lights, "set_key_light_size", "set_fill_light_size", "apply_scene_batch"];
  assert.deepEqual(TOOLS.map(({ name }) => name).sort(), wanted.sort());
  assert.equal(named("change_model_color").title, "Change Model Color");
  assert.equal(named("set_camera_fov").title, "Set Camera FOV");
  assert.equal(named("get_browser_connection_url").title, "Get Browser Connection URL");
});

test("schemas close the door to unknown arguments, and getters say that they only read", () => {
  for (const { name, inputSchema, annotations } of TOOLS) {
    assert.equal((inputSchema as { additionalProperties: unknown }).additionalProperties, false, name);
    assert.equal((annotations as { readOnlyHint: unknown }).readOnlyHint, /^get_|_3d_/.test(name), name);
  }
  assert.deepEqual(named("dolly_camera").inputSchema, {
    type: "object",
    properties: { distance: { type: "number", exclusiveMinimum: 0, description: "Distance in units" } },
    required: ["distance"],
    additionalProperties: false,
  });
});

test("what is changed is confirmed in the original's words", () => {
  const said: readonly (readonly [string, Args, string])[] = [
    ["change_model_color", { color: "#CC0000" }, "Model color changed to #cc0000"],
    ["change_model_color", { color: " Plum " }, "Model color changed to plum (#891e88)"],
    ["change_model_size", { size: 1.5 }, "Model size changed to 1.5"],
    ["scale_model", { x: 1, y: 2, z: 0.5 }, "Model scaled to (1, 2, 0.5)"],
    ["set_model_rotation", { x: 10, y: 270, z: -30 }, "Model rotation set to X: 10°, Y: 270°, Z: -30°"],
    ["rotate_model_clockwise", {}, "Model rotated 10° clockwise (from current rotation: Y=0°)"],
    [
      "rotate_model_counterclockwise",
      { degrees: 45 },
      "Model rotated 45° counterclockwise (from current rotation: Y=0°)",
    ],
    ["nudge_model_pitch_up", {}, "Model pitch increased by 5° (from current pitch: X=0°)"],
    ["nudge_model_pitch_down", { degrees: 7 }, "Model pitch decreased by 7° (from current pitch: X=0°)"],
    ["nudge_model_roll", { degrees: -12 }, "Model roll adjusted by -12° (from current roll: Z=0°)"],
    ["change_background_color", { color: "sea-foam" }, "Background color changed to sea foam (#03f987)"],
    ["set_key_light_intensity", { intensity: 0 }, "Key light intensity set to 0"],
    ["set_fill_light_color", { color: "sky" }, "Fill light color changed to sky (#6acfff)"],
    [
      "set_key_light_position_spherical",
      { azimuth: "NW", elevation: 30 },
      "Key light positioned at azimuth NW (315°), elevation 30° (distance preserved)",
    ],
    [
      "set_fill_light_position_spherical",
      { azimuth: 12.5, elevation: 0 },
      "Fill light positioned at azimuth 12.5°, elevation 0° (distance preserved)",
    ],
    ["set_key_light_distance", { distance: 9 }, "Key light distance set to 9 units"],
    ["set_fill_light_size", { width: 3, height: 4 }, "Fill light size set to width 3, height 4"],
    ["swing_key_light_up", {}, "Key light swung up"],
    ["swing_fill_light_right", {}, "Fill light swung right"],
    ["walk_key_light_in", {}, "Key light walked in"],
    ["rotate_key_light_clockwise", {}, "Key light rotated 10° clockwise (from current azimuth: 135°)"],
    ["nudge_fill_light_elevation_up", {}, "Fill light elevation increased by 5° (from current elevation: 19.47°)"],
    [
      "move_key_light_toward_direction",
      { direction: "west" },
      "Key light moved 10° toward west (from current azimuth: 135°)",
    ],
    ["dolly_camera", { distance: 20 }, "Camera distance set to 20"],
    ["dolly_camera_in", {}, "Camera moved closer"],
    ["dolly_camera_in", { amount: 4 }, "Camera moved 4 units closer"],
    ["dolly_camera_out", { amount: 4 }, "Camera moved 4 units farther"],
    ["set_camera_fov", { fov: 40 }, "Camera field of view set to 40"],
    ["increase_camera_fov", {}, "Camera FOV increased (wider angle)"],
    ["decrease_camera_fov", { amount: 5 }, "Camera FOV decreased by 5° (narrower angle)"],
  ];
  for (const [name, args, want] of said) assert.equal(text(name, args), want);
});

test("what is asked is answered in the original's words, always fresh", () => {
  const tail = " (queried at 2026-01-02T03:04:05.678Z, source: fresh)";
  const said: readonly (readonly [string, string])[] = [
    ["get_model_color", "Model color: #ffffff"],
    ["get_model_scale", "Model scale: X: 1, Y: 1, Z: 1"],
    ["get_model_rotation", "Model rotation: X (pitch): 0°, Y (yaw): 0°, Z (roll): 0°"],
    ["get_background_color", "Background color: #000000"],
    ["get_key_light_intensity", "Key light intensity: 2.5"],
    ["get_fill_light_color", "Fill light color: #ffffff"],
    ["get_key_light_position_spherical", "Key light position: azimuth 135°, elevation 26.33°, distance 7.89"],
    ["get_fill_light_size", "Fill light size: width 8, height 8"],
    ["get_camera_distance", "Camera distance: 32"],
    ["get_camera_fov", "Camera FOV: 32"],
  ];
  for (const [name, want] of said) {
    assert.equal(text(name), want + tail);
    assert.equal(text(name, { forceRefresh: true }), want + tail);
    assert.equal(call(name).scene, INITIAL, "a getter changes nothing");
  }
  assert.deepEqual(call("get_camera_fov").value, { fov: 32, queriedAt: "2026-01-02T03:04:05.678Z", source: "fresh" });
});

test("the URL to open is the page's own, with its session", () => {
  const url = "http://localhost:8765/apps/scene/?sessionId=s1";
  assert.equal(
    text("get_browser_connection_url"),
    `To connect your browser to the 3D visualization app, open this URL:\n\n${url}\n\nCopy and paste this URL into your web browser to begin interacting with the 3D scene.`,
  );
});

test("a command changes what it names and nothing else", () => {
  const { scene } = call("set_fill_light_distance", { distance: 9 });
  assert.deepEqual(scene, {
    ...INITIAL,
    fillLight: { ...INITIAL.fillLight, position: { ...INITIAL.fillLight.position, distance: 9 } },
  });
  assert.deepEqual(call("change_model_color", { color: "#cc0000" }).scene, {
    ...INITIAL,
    model: { ...INITIAL.model, color: "#cc0000" },
  });
});

test("a value beyond what the scene can have is reported as what it has", () => {
  const far = call("dolly_camera", { distance: 500 });
  assert.equal(far.text, "Camera distance set to 64 (limited to 8..64; asked for 500)");
  assert.equal(far.scene.camera.distance, 64);
  assert.deepEqual(far.value, { distance: 64 });
  assert.equal(
    text("dolly_camera_out", { amount: 40 }),
    "Camera moved 32 units farther (limited to 8..64; asked for 40)",
  );
  assert.equal(
    text("dolly_camera_out", {}, far.scene),
    "Camera moved 0 units farther (limited to 8..64; asked for 0.1)",
  );
  assert.equal(
    text("set_camera_fov", { fov: 100 }),
    "Camera field of view set to 60 (limited to 6..60; asked for 100)",
  );
  assert.equal(
    text("increase_camera_fov", { amount: 30 }),
    "Camera FOV increased by 28° (wider angle) (limited to 6..60; asked for 30)",
  );
  assert.equal(
    text("nudge_key_light_elevation_down", { degrees: 30 }),
    "Key light elevation decreased by 26.33° (from current elevation: 26.33°) (limited to 0..90; asked for 30)",
  );
  assert.equal(
    text("set_key_light_distance", { distance: 1000 }),
    "Key light distance set to 100 units (limited to 0.5..100; asked for 1000)",
  );
  assert.equal(
    text("change_model_size", { size: 5000 }),
    "Model size changed to 1000 (limited to 0.001..1000; asked for 5000)",
  );
  assert.equal(
    text("set_model_rotation", { x: 450, y: 0, z: 0 }),
    "Model rotation set to X: 90°, Y: 0°, Z: 0° (whole turns left out; asked for X: 450°, Y: 0°, Z: 0°)",
  );
});

test("pitch up is up, with and without degrees", () => {
  assert.equal(call("nudge_model_pitch_up").scene.model.rotation.x, 5);
  assert.equal(call("nudge_model_pitch_up", { degrees: 7 }).scene.model.rotation.x, 7);
  assert.equal(call("nudge_model_pitch_down").scene.model.rotation.x, -5);
  assert.equal(call("nudge_model_pitch_down", { degrees: 7 }).scene.model.rotation.x, -7);
});

test("a wider field of view is a larger number, for every tool that changes it", () => {
  assert.equal(call("increase_camera_fov").scene.camera.fov, 34);
  assert.equal(call("decrease_camera_fov").scene.camera.fov, 30);
  assert.equal(
    text("get_camera_fov", {}, call("set_camera_fov", { fov: 45 }).scene).startsWith("Camera FOV: 45 "),
    true,
  );
});

test("swings, walks and turns show in the position that is reported", () => {
  const at = (name: string, args: Args = {}) => call(name, args).scene.keyLight.position;
  assert.deepEqual(at("swing_key_light_up"), { azimuth: 135, elevation: 36.33, distance: 7.89 });
  assert.deepEqual(at("swing_key_light_down"), { azimuth: 135, elevation: 16.33, distance: 7.89 });
  assert.deepEqual(at("swing_key_light_left"), { azimuth: 145, elevation: 26.33, distance: 7.89 });
  assert.deepEqual(at("swing_key_light_right"), { azimuth: 125, elevation: 26.33, distance: 7.89 });
  assert.deepEqual(at("walk_key_light_in"), { azimuth: 135, elevation: 26.33, distance: 6.89 });
  assert.deepEqual(at("walk_key_light_out"), { azimuth: 135, elevation: 26.33, distance: 8.89 });
  assert.equal(at("rotate_key_light_clockwise").azimuth, 125);
  assert.equal(at("rotate_key_light_counterclockwise", { degrees: 300 }).azimuth, 75);
});

test("a light moves the shorter way toward a direction, and never past it", () => {
  const moved = (from: number, direction: unknown, degrees: number) => {
    const { scene } = call("set_key_light_position_spherical", { azimuth: from, elevation: 0 });
    return call("move_key_light_toward_direction", { direction, degrees }, scene);
  };
  assert.equal(moved(350, "NE", 20).scene.keyLight.position.azimuth, 10);
  assert.equal(moved(10, 350, 5).scene.keyLight.position.azimuth, 5);
  const there = moved(266, "west", 10);
  assert.equal(there.scene.keyLight.position.azimuth, 270);
  assert.equal(
    there.text,
    "Key light moved 4° toward west (from current azimuth: 266°; it is there now, asked for 10°)",
  );
});

test("every crayon is a colour, in any case and with spaces around it, and nothing else is", () => {
  assert.equal(CRAYON_NAMES.length, 48);
  for (const name of CRAYON_NAMES)
    assert.match(
      text("change_model_color", { color: ` ${name.toUpperCase()} ` }),
      /^Model color changed to [a-z ]+ \(#[0-9a-f]{6}\)$/,
    );
  assert.equal(call("change_model_color", { color: "seafoam" }).scene.model.color, "#03f987");
  for (const color of ["red", "#fff", "#gggggg", "", 7, null, "constructor"]) {
    assert.equal(
      refused("change_model_color", { color }),
      `Input validation error: Invalid arguments for tool change_model_color: ${COLOUR_REFUSAL}`,
    );
  }
  assert.ok(
    COLOUR_REFUSAL.startsWith(
      'Must be a hex color code (e.g., "#ff0000") or an Apple crayon color name. Available colors: licorice, lead, tungsten,',
    ),
  );
});

test("arguments that do not fit are refused with the reason", () => {
  const reasons: readonly (readonly [string, Args, RegExp])[] = [
    ["dolly_camera", {}, /distance is missing$/],
    ["dolly_camera", { distance: 0 }, /distance must be a number above 0, not 0$/],
    ["dolly_camera", { distance: "far" }, /distance must be a number above 0, not "far"$/],
    ["dolly_camera", { distance: Number.NaN }, /distance must be a number above 0/],
    ["dolly_camera", { distance: 9, speed: 2 }, /unknown argument "speed"; it takes distance$/],
    ["walk_key_light_in", { by: 2 }, /unknown argument "by"; it takes none$/],
    ["set_key_light_intensity", { intensity: -1 }, /intensity must be a number of at least 0, not -1$/],
    [
      "set_key_light_position_spherical",
      { azimuth: 361, elevation: 0 },
      /azimuth must be a number from 0 to 360 or a direction name .* not 361$/,
    ],
    ["set_key_light_position_spherical", { azimuth: "up", elevation: 0 }, /not "up"$/],
    [
      "set_key_light_position_spherical",
      { azimuth: 0, elevation: 91 },
      /elevation must be a number from 0 to 90, not 91$/,
    ],
    ["get_model_color", { forceRefresh: "yes" }, /forceRefresh must be true or false, not "yes"$/],
  ];
  for (const [name, args, reason] of reasons) {
    const why = refused(name, args);
    assert.match(why, reason);
    assert.ok(why.startsWith(`Input validation error: Invalid arguments for tool ${name}: `), why);
  }
});

test("a batch applies all of its actions, each upon the one before", () => {
  const { scene, text: said } = call("apply_scene_batch", {
    actions: [
      { tool: "change_model_color", arguments: { color: "plum" } },
      { name: "dolly_camera", arguments: { distance: 500 } },
      { tool: "dolly_camera_in", arguments: { amount: 4 } },
      { tool: "get_camera_distance" },
    ],
  });
  assert.equal(scene.model.color, "#891e88");
  assert.equal(scene.camera.distance, 60);
  assert.deepEqual(said.split("\n"), [
    "4 actions applied",
    "1. Model color changed to plum (#891e88)",
    "2. Camera distance set to 64 (limited to 8..64; asked for 500)",
    "3. Camera moved 4 units closer",
    "4. Camera distance: 60 (queried at 2026-01-02T03:04:05.678Z, source: fresh)",
  ]);
});

test("a batch with one bad action changes nothing, and says which and why", () => {
  const good = { tool: "change_model_color", arguments: { color: "plum" } };
  const bad = (action: unknown): string => refused("apply_scene_batch", { actions: [good, action] });
  assert.equal(
    bad({ tool: "dolly_camera", arguments: { distance: -1 } }),
    "Action 2 of 2 (dolly_camera) failed, and nothing was changed: Input validation error: Invalid arguments for tool dolly_camera: distance must be a number above 0, not -1",
  );
  assert.match(
    bad({ tool: "change_model_color", arguments: { color: "red" } }),
    /^Action 2 of 2 \(change_model_color\) failed, .*Must be a hex color code/,
  );
  assert.match(
    bad({ tool: "make_coffee" }),
    /^Action 2 of 2 \(make_coffee\) failed, and nothing was changed: the scene has no such tool$/,
  );
  assert.match(bad({ tool: "apply_scene_batch", arguments: { actions: [good] } }), /a batch cannot hold another$/);
  assert.match(bad({ tool: "dolly_camera", name: "set_camera_fov" }), /action 2 names two tools$/);
  assert.match(bad({ arguments: {} }), /action 2 names no tool$/);
  assert.match(bad({ tool: "dolly_camera", args: {} }), /action 2 has an unknown member "args"/);
  assert.match(
    bad({ tool: "dolly_camera", arguments: [1] }),
    /action 2 must have an object as its arguments, not \[1\]$/,
  );
  assert.match(refused("apply_scene_batch", { actions: [] }), /a list of 1 to 100 actions$/);
});
