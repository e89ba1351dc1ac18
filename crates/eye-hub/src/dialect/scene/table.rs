//! The original 3D server's tools: their names, arguments, texts, and the commands that they send to its page.
//!
//! `@` stands for a light: `key` and `fill` in tool names and state paths, `Key` and `Fill` elsewhere.
//! In a text, `{name}` is an argument and `{/path|default}` a value of the state.

/// The allowed values of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `#rrggbb` or a crayon name.
    Colour,
    /// 0 to 360 or the name of a direction.
    Azimuth,
    Number,
    Positive,
    NotNegative,
    /// 0 to 90.
    Elevation,
}

#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// The name in both the tool and the command.
    pub name: &'static str,
    pub kind: Kind,
    /// The page's default; `None`: the argument is required.
    pub default: Option<f64>,
    /// Shown to the caller.
    pub help: &'static str,
}

/// A tool that changes the scene.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    pub tool: &'static str,
    /// The type of the message for the page.
    pub message_type: &'static str,
    /// Shown to the caller.
    pub description: &'static str,
    pub parameters: &'static [Parameter],
    /// The answer.
    pub text: &'static str,
    /// The answer when an optional argument is left out.
    pub short_text: Option<&'static str>,
    /// The part of the answer about the state before: its words, and the value's path.
    pub from: Option<(&'static str, &'static str)>,
    /// Path in the state of the resulting value: the page limits the only argument silently.
    pub kept_at: Option<&'static str>,
}

#[derive(Clone, Copy, Debug)]
pub struct Getter {
    pub tool: &'static str,
    /// How the answer begins.
    pub label: &'static str,
    /// Template of the value.
    pub text: &'static str,
    /// Shown to the caller.
    pub description: &'static str,
}

const fn needs(name: &'static str, kind: Kind, help: &'static str) -> Parameter {
    Parameter { name, kind, default: None, help }
}

const fn takes(name: &'static str, kind: Kind, default: f64, help: &'static str) -> Parameter {
    Parameter { name, kind, default: Some(default), help }
}

const COLOUR: &[Parameter] = &[needs("color", Kind::Colour, "The color")];
const TURN: &[Parameter] = &[takes("degrees", Kind::Positive, 10.0, "How far, in degrees; 10 if left out")];
const NUDGE: &[Parameter] = &[takes("degrees", Kind::Positive, 5.0, "How far, in degrees; 5 if left out")];
const DOLLY: &[Parameter] = &[takes("amount", Kind::Positive, 0.1, "How far, in units; 0.1 if left out")];
const ZOOM: &[Parameter] = &[takes("amount", Kind::Positive, 0.02, "How much; 0.02 if left out")];

const fn plain(
    tool: &'static str,
    message_type: &'static str,
    description: &'static str,
    parameters: &'static [Parameter],
    text: &'static str,
) -> Command {
    Command { tool, message_type, description, parameters, text, short_text: None, from: None, kept_at: None }
}

impl Command {
    const fn reading(self, words: &'static str, place: &'static str) -> Self {
        Self { from: Some((words, place)), ..self }
    }

    const fn kept_at(self, place: &'static str) -> Self {
        Self { kept_at: Some(place), ..self }
    }

    const fn short(self, text: &'static str) -> Self {
        Self { short_text: Some(text), ..self }
    }
}

pub const COMMANDS: [Command; 16] = [
    plain(
        "change_model_color",
        "changeColor",
        "Change the color of the 3D model in the scene",
        COLOUR,
        "Model color changed to {color}",
    ),
    plain(
        "change_model_size",
        "changeSize",
        "Change the uniform size of the 3D model",
        &[needs("size", Kind::Positive, "The scale; 1 is the model's own size")],
        "Model size changed to {size}",
    )
    .kept_at("/model/scale/x"),
    plain(
        "scale_model",
        "scaleModel",
        "Scale the 3D model on each axis",
        &[
            needs("x", Kind::Positive, "Scale on the X axis"),
            needs("y", Kind::Positive, "Scale on the Y axis"),
            needs("z", Kind::Positive, "Scale on the Z axis"),
        ],
        "Model scaled to ({x}, {y}, {z})",
    ),
    plain(
        "set_model_rotation",
        "setModelRotation",
        "Set the model's rotation in degrees: X is the pitch, Y the yaw, Z the roll",
        &[
            needs("x", Kind::Number, "Pitch in degrees"),
            needs("y", Kind::Number, "Yaw in degrees"),
            needs("z", Kind::Number, "Roll in degrees"),
        ],
        "Model rotation set to X: {x}°, Y: {y}°, Z: {z}°",
    ),
    plain(
        "rotate_model_clockwise",
        "rotateModelClockwise",
        "Rotate the model clockwise about the vertical, from where it is",
        TURN,
        "Model rotated {degrees}° clockwise",
    )
    .reading("rotation: Y=", "/model/rotation/y"),
    plain(
        "rotate_model_counterclockwise",
        "rotateModelCounterclockwise",
        "Rotate the model counterclockwise about the vertical, from where it is",
        TURN,
        "Model rotated {degrees}° counterclockwise",
    )
    .reading("rotation: Y=", "/model/rotation/y"),
    plain(
        "nudge_model_pitch_up",
        "nudgeModelPitchUp",
        "Increase the model's pitch (X rotation) from where it is",
        NUDGE,
        "Model pitch increased by {degrees}°",
    )
    .reading("pitch: X=", "/model/rotation/x"),
    plain(
        "nudge_model_pitch_down",
        "nudgeModelPitchDown",
        "Decrease the model's pitch (X rotation) from where it is",
        NUDGE,
        "Model pitch decreased by {degrees}°",
    )
    .reading("pitch: X=", "/model/rotation/x"),
    plain(
        "nudge_model_roll",
        "nudgeModelRoll",
        "Change the model's roll (Z rotation) from where it is",
        &[takes("degrees", Kind::Number, 5.0, "How far, in degrees; 5 if left out")],
        "Model roll adjusted by {degrees}°",
    )
    .reading("roll: Z=", "/model/rotation/z"),
    plain(
        "change_background_color",
        "changeBackgroundColor",
        "Change the background color of the 3D scene",
        COLOUR,
        "Background color changed to {color}",
    ),
    plain(
        "dolly_camera",
        "dollyCamera",
        "Set the camera's distance from the model; the page keeps it within 8 to 64 units",
        &[needs("distance", Kind::Positive, "Distance in units")],
        "Camera distance set to {distance}",
    )
    .kept_at("/camera/distance"),
    plain(
        "dolly_camera_in",
        "dollyCameraIn",
        "Move the camera closer to the model",
        DOLLY,
        "Camera moved {amount} units closer",
    )
    .short("Camera moved closer"),
    plain(
        "dolly_camera_out",
        "dollyCameraOut",
        "Move the camera farther from the model",
        DOLLY,
        "Camera moved {amount} units farther",
    )
    .short("Camera moved farther"),
    plain(
        "set_camera_fov",
        "setCameraFOV",
        "Set the camera's field of view, which is a zoom factor here: larger is closer, within 0.5 to 5",
        &[needs("fov", Kind::Positive, "The zoom factor")],
        "Camera field of view set to {fov}",
    )
    .kept_at("/camera/fov"),
    plain(
        "increase_camera_fov",
        "increaseCameraFOV",
        "Increase the camera's field of view value",
        ZOOM,
        "Camera FOV increased (wider angle)",
    ),
    plain(
        "decrease_camera_fov",
        "decreaseCameraFOV",
        "Decrease the camera's field of view value",
        ZOOM,
        "Camera FOV decreased (narrower angle)",
    ),
];

/// Commands of each light.
pub const LIGHT_COMMANDS: [Command; 15] = [
    plain(
        "set_@_light_intensity",
        "set@LightIntensity",
        "Set the intensity of the @ light",
        &[needs("intensity", Kind::NotNegative, "The intensity; 0 is off")],
        "@ light intensity set to {intensity}",
    )
    .kept_at("/@Light/intensity"),
    plain(
        "set_@_light_color",
        "set@LightColor",
        "Set the color of the @ light",
        COLOUR,
        "@ light color changed to {color}",
    ),
    plain(
        "set_@_light_position_spherical",
        "set@LightPositionSpherical",
        "Place the @ light by its direction seen from the camera; its distance stays",
        &[
            needs("azimuth", Kind::Azimuth, "Where around the model"),
            needs("elevation", Kind::Elevation, "Degrees above the horizon: 0 is level, 90 overhead"),
        ],
        "@ light positioned at azimuth {azimuth}, elevation {elevation}° (distance preserved)",
    ),
    plain(
        "set_@_light_distance",
        "set@LightDistance",
        "Set how far the @ light is from the model; its direction stays",
        &[needs("distance", Kind::Positive, "Distance in units")],
        "@ light distance set to {distance} units",
    )
    .kept_at("/@Light/position/distance"),
    plain("swing_@_light_up", "swing@LightUp", "Swing the @ light up by 10° along its arc", &[], "@ light swung up"),
    plain(
        "swing_@_light_down",
        "swing@LightDown",
        "Swing the @ light down by 10° along its arc",
        &[],
        "@ light swung down",
    ),
    plain(
        "swing_@_light_left",
        "swing@LightLeft",
        "Swing the @ light left by 10° along its arc",
        &[],
        "@ light swung left",
    ),
    plain(
        "swing_@_light_right",
        "swing@LightRight",
        "Swing the @ light right by 10° along its arc",
        &[],
        "@ light swung right",
    ),
    plain("walk_@_light_in", "walk@LightIn", "Walk the @ light 1 unit closer to the model", &[], "@ light walked in"),
    plain(
        "walk_@_light_out",
        "walk@LightOut",
        "Walk the @ light 1 unit away from the model",
        &[],
        "@ light walked out",
    ),
    plain(
        "rotate_@_light_clockwise",
        "rotate@LightClockwise",
        "Rotate the @ light clockwise around the model: its azimuth decreases",
        TURN,
        "@ light rotated {degrees}° clockwise",
    )
    .reading("azimuth: ", "/@Light/position/azimuth"),
    plain(
        "rotate_@_light_counterclockwise",
        "rotate@LightCounterclockwise",
        "Rotate the @ light counterclockwise around the model: its azimuth increases",
        TURN,
        "@ light rotated {degrees}° counterclockwise",
    )
    .reading("azimuth: ", "/@Light/position/azimuth"),
    plain(
        "nudge_@_light_elevation_up",
        "nudge@LightElevationUp",
        "Raise the @ light, within 0 to 90 degrees",
        NUDGE,
        "@ light elevation increased by {degrees}°",
    )
    .reading("elevation: ", "/@Light/position/elevation"),
    plain(
        "nudge_@_light_elevation_down",
        "nudge@LightElevationDown",
        "Lower the @ light, within 0 to 90 degrees",
        NUDGE,
        "@ light elevation decreased by {degrees}°",
    )
    .reading("elevation: ", "/@Light/position/elevation"),
    plain(
        "move_@_light_toward_direction",
        "move@LightTowardDirection",
        "Move the @ light around the model toward a direction, the shorter way and never past it",
        &[
            needs("direction", Kind::Azimuth, "The direction"),
            takes("degrees", Kind::Positive, 10.0, "How far, in degrees; 10 if left out"),
        ],
        "@ light moved {degrees}° toward {direction}",
    )
    .reading("azimuth: ", "/@Light/position/azimuth"),
];

/// Getters of model, background and camera.
pub const GETTERS: [Getter; 6] = [
    Getter {
        tool: "get_model_color",
        label: "Model color",
        text: "{/model/color|#808080}",
        description: "Get the current model color as a hex color code (e.g., \"#ff0000\")",
    },
    Getter {
        tool: "get_model_scale",
        label: "Model scale",
        text: "X: {/model/scale/x|1}, Y: {/model/scale/y|1}, Z: {/model/scale/z|1}",
        description: "Get the current model scale on each axis",
    },
    Getter {
        tool: "get_model_rotation",
        label: "Model rotation",
        text: "X (pitch): {/model/rotation/x|0}°, Y (yaw): {/model/rotation/y|0}°, Z (roll): {/model/rotation/z|0}°",
        description: "Get the current model rotation in degrees",
    },
    Getter {
        tool: "get_background_color",
        label: "Background color",
        text: "{/background|#000000}",
        description: "Get the current background color as a hex color code (e.g., \"#000000\")",
    },
    Getter {
        tool: "get_camera_distance",
        label: "Camera distance",
        text: "{/camera/distance|0}",
        description: "Get how far the camera is from the model",
    },
    Getter {
        tool: "get_camera_fov",
        label: "Camera FOV",
        text: "{/camera/fov|0}",
        description: "Get the camera's field of view, which this page keeps as a zoom factor",
    },
];

/// Getters of each light.
pub const LIGHT_GETTERS: [Getter; 4] = [
    Getter {
        tool: "get_@_light_intensity",
        label: "@ light intensity",
        text: "{/@Light/intensity|0}",
        description: "Get the intensity of the @ light",
    },
    Getter {
        tool: "get_@_light_color",
        label: "@ light color",
        text: "{/@Light/color|#ffffff}",
        description: "Get the color of the @ light as a hex color code",
    },
    Getter {
        tool: "get_@_light_position_spherical",
        label: "@ light position",
        text: "azimuth {/@Light/position/azimuth|0}°, elevation {/@Light/position/elevation|0}°, \
               distance {/@Light/position/distance|0}",
        description: "Get where the @ light is, seen from the camera",
    },
    Getter {
        tool: "get_@_light_size",
        label: "@ light size",
        text: "width {/@Light/size/width|1}, height {/@Light/size/height|1}",
        description: "Get the width and height of the @ light's panel",
    },
];
