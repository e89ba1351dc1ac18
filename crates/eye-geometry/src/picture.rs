//! A picture: RGBA pixels by rows, top left first, and what can be counted in it.

/// An opaque or transparent picture of 8 bits per channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Four bytes per pixel: red, green, blue, alpha; `width * height * 4` of them.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// How many pixels have each luminance: Rec. 709 weights over the stored bytes, rounded, 256 bins. Alpha does not count.
    pub fn histogram(&self) -> [u64; 256] {
        let mut bins = [0; 256];
        for pixel in self.rgba.as_chunks::<4>().0 {
            bins[usize::from(luminance(*pixel))] += 1;
        }
        bins
    }

    /// Shannon entropy of the luminance histogram in bits: 0 for one flat tone, 8 when all 256 tones are equally frequent.
    #[allow(clippy::cast_precision_loss, reason = "a picture has far fewer than 2^52 pixels")]
    pub fn entropy(&self) -> f64 {
        let total = (self.rgba.len() / 4) as f64;
        let bits = self.histogram().into_iter().filter(|&count| count > 0).map(|count| {
            let share = count as f64 / total;
            -share * share.log2()
        });
        bits.sum::<f64>().max(0.0)
    }

    /// How many different colours there are. Alpha does not count.
    pub fn unique_colours(&self) -> usize {
        let mut colours: Vec<u32> = self
            .rgba
            .as_chunks::<4>()
            .0
            .iter()
            .map(|&[red, green, blue, _]| u32::from_be_bytes([0, red, green, blue]))
            .collect();
        colours.sort_unstable();
        colours.dedup();
        colours.len()
    }
}

/// Rec. 709 luminance of the stored bytes, in whole numbers so that it is the same everywhere: the weights are 65536ths.
pub(crate) fn luminance([red, green, blue, _]: [u8; 4]) -> u8 {
    let weighted = 13_933 * u32::from(red) + 46_871 * u32::from(green) + 4_732 * u32::from(blue);
    u8::try_from((weighted + 32_768) >> 16).expect("the weights sum to 65536, so white gives 255")
}
