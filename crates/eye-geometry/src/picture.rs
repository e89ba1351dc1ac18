//! A picture: RGBA pixels in rows from the top left, and statistics of it.

/// A picture of 8 bits per channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    /// Four bytes per pixel: red, green, blue, alpha.
    pub rgba: Vec<u8>,
}

impl Picture {
    /// The number of pixels of each luminance: Rec. 709 weights of the stored bytes, rounded, in 256 bins. Ignores
    /// alpha.
    pub fn histogram(&self) -> [u64; 256] {
        let mut bins = [0; 256];
        for pixel in self.rgba.as_chunks::<4>().0 {
            bins[usize::from(luminance(*pixel))] += 1;
        }
        bins
    }

    /// Shannon entropy of the luminance histogram in bits: 0 for one flat tone, 8 when all 256 tones are equally
    /// frequent.
    #[allow(clippy::cast_precision_loss, reason = "a picture has far fewer than 2^52 pixels")]
    pub fn entropy(&self) -> f64 {
        let total = (self.rgba.len() / 4) as f64;
        let bits = self.histogram().into_iter().filter(|&count| count > 0).map(|count| {
            let share = count as f64 / total;
            -share * share.log2()
        });
        bits.sum::<f64>().max(0.0)
    }

    /// The number of different colours. Ignores alpha.
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

/// Rec. 709 luminance of the stored bytes. Computed in integers, with weights in 65536ths, so that it is the same
/// everywhere.
pub(crate) fn luminance([red, green, blue, _]: [u8; 4]) -> u8 {
    let weighted = 13_933 * u32::from(red) + 46_871 * u32::from(green) + 4_732 * u32::from(blue);
    u8::try_from((weighted + 32_768) >> 16).expect("the weights sum to 65536, so white gives 255")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "these values are exact")]

    use super::*;

    fn picture(pixels: &[[u8; 4]]) -> Picture {
        Picture { width: u32::try_from(pixels.len()).unwrap(), height: 1, rgba: pixels.concat() }
    }

    #[test]
    fn entropy_is_zero_for_one_tone_and_eight_for_all_tones_alike() {
        assert_eq!(picture(&[[9, 9, 9, 255]; 16]).entropy(), 0.0);
        let all: Vec<[u8; 4]> = (0..=255).map(|tone| [tone, tone, tone, 255]).collect();
        assert_eq!(picture(&all).entropy(), 8.0);
        let halves = picture(&[[0, 0, 0, 255], [255, 255, 255, 255], [0, 0, 0, 0], [255, 255, 255, 0]]);
        assert_eq!(halves.entropy(), 1.0);
        assert_eq!(picture(&[]).entropy(), 0.0);
    }

    #[test]
    fn luminance_has_the_weights_of_rec_709() {
        for (colour, tone) in
            [([255, 0, 0, 0], 54), ([0, 255, 0, 0], 182), ([0, 0, 255, 0], 18), ([255, 255, 255, 0], 255)]
        {
            assert_eq!(luminance(colour), tone);
        }
        for grey in 0..=255 {
            assert_eq!(luminance([grey, grey, grey, 1]), grey);
        }
    }

    #[test]
    fn colours_and_tones_are_counted_without_alpha() {
        let picture = picture(&[[1, 2, 3, 0], [1, 2, 3, 255], [3, 2, 1, 255]]);
        assert_eq!(picture.unique_colours(), 2);
        assert_eq!(picture.histogram().iter().sum::<u64>(), 3);
    }
}
