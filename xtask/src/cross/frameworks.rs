//! The symbols of macOS's frameworks that the binary uses, in the text format that linkers read. Without a Mac there is
//! no SDK to link against; on a Mac the system provides the same symbols.

use crate::run::TaskError;
use std::fs;
use std::path::{Path, PathBuf};

/// A framework and the symbols that are linked from it. A missing one shows as `undefined symbol` in the linker's
/// errors.
const FRAMEWORKS: [(&str, &str); 3] = [
    (
        "CoreFoundation",
        "CFArrayAppendValue CFArrayCreate CFArrayCreateMutable CFArrayGetCount CFArrayGetValueAtIndex \
         CFArrayInsertValueAtIndex CFDataGetBytePtr CFDataGetLength CFDictionaryGetValueIfPresent CFEqual \
         CFNumberGetValue CFRelease CFRetain CFRunLoopGetCurrent CFRunLoopIsWaiting CFRunLoopRun \
         CFRunLoopStop CFStringCreateWithBytesNoCopy CFStringGetBytes CFStringGetCStringPtr CFStringGetLength \
         CFURLCopyAbsoluteURL CFURLCopyFileSystemPath CFURLCopyLastPathComponent \
         CFURLCreateCopyAppendingPathComponent CFURLCreateCopyDeletingLastPathComponent \
         CFURLCreateFilePathURL CFURLCreateFileReferenceURL CFURLCreateFromFileSystemRepresentation \
         CFURLCreateFromFileSystemRepresentationRelativeToBase CFURLResourceIsReachable kCFAllocatorDefault \
         kCFAllocatorNull kCFRunLoopDefaultMode kCFTypeArrayCallBacks",
    ),
    (
        "CoreServices",
        "FSEventStreamCreate FSEventStreamGetDeviceBeingWatched FSEventStreamInvalidate FSEventStreamRelease \
         FSEventStreamScheduleWithRunLoop FSEventStreamStart FSEventStreamStop FSEventsGetCurrentEventId \
         FSEventsPurgeEventsForDeviceUpToEventId",
    ),
    (
        "Security",
        "SecCertificateCopyData SecCopyErrorMessageString SecTrustSettingsCopyCertificates \
         SecTrustSettingsCopyTrustSettings",
    ),
];

/// Writes the frameworks into a folder, for the linker's `-F`.
pub fn write(folder: &Path) -> Result<PathBuf, TaskError> {
    for (name, symbols) in FRAMEWORKS {
        let framework = folder.join(format!("{name}.framework"));
        let symbols: Vec<String> = symbols.split_whitespace().map(|symbol| format!("_{symbol}")).collect();
        let targets = "[ arm64-macos, x86_64-macos ]";
        let text = format!(
            "--- !tapi-tbd\ntbd-version: 4\ntargets: {targets}\n\
             install-name: '/System/Library/Frameworks/{name}.framework/Versions/A/{name}'\n\
             exports:\n  - targets: {targets}\n    symbols: [ {} ]\n...\n",
            symbols.join(", ")
        );
        let file = framework.join(format!("{name}.tbd"));
        fs::create_dir_all(&framework)
            .and_then(|()| fs::write(&file, text))
            .map_err(TaskError::io(format!("writing {}", file.display())))?;
    }
    Ok(folder.to_owned())
}
