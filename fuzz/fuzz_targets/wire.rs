#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    netfed_fuzz::wire(bytes);
});
