//! Turns, scales and packs drawings of components: shelves from the largest
//! to the smallest, small ones stacked into columns.

use super::{Point, corners};

/// Width over height of the whole picture.
const SHAPE: f64 = 1.6;
/// Free space around a component.
const MARGIN: f64 = 1.0;

/// Turns a drawing so that its long direction lies level, and scales it so
/// that each node has about one unit of area.
pub(crate) fn turn_and_scale(places: &mut [Point]) {
    let count = places.len() as f64;
    let mean = places
        .iter()
        .fold([0.0, 0.0], |sum, place| [sum[0] + place[0] / count, sum[1] + place[1] / count]);
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for place in places.iter() {
        let (x, y) = (place[0] - mean[0], place[1] - mean[1]);
        (xx, xy, yy) = (xx + x * x, xy + x * y, yy + y * y);
    }
    let (sin, cos) = (0.5 * (2.0 * xy).atan2(xx - yy)).sin_cos();
    for place in places.iter_mut() {
        let (x, y) = (place[0] - mean[0], place[1] - mean[1]);
        *place = [x * cos + y * sin, y * cos - x * sin];
    }
    let (low, high) = corners(places);
    let (width, height) = (high[0] - low[0], high[1] - low[1]);
    let area = width * height.max(width / 6.0);
    if area > 1e-12 {
        let scale = (count / area).sqrt();
        for place in places {
            *place = [place[0] * scale, place[1] * scale];
        }
    }
}

/// Moves the drawings, given from the largest to the smallest, so that none
/// cover each other.
pub(crate) fn pack(drawings: &mut [Vec<Point>]) {
    let mut boxes: Vec<(usize, Point, Point)> = drawings
        .iter()
        .enumerate()
        .map(|(index, places)| {
            let (low, high) = corners(places);
            let size = [high[0] - low[0] + MARGIN, high[1] - low[1] + MARGIN];
            (index, low, size)
        })
        .collect();
    boxes.sort_by(|a, b| b.2[1].total_cmp(&a.2[1]).then(a.0.cmp(&b.0)));
    let area: f64 = boxes.iter().map(|(_, _, size)| size[0] * size[1]).sum();
    let widest = boxes.iter().map(|(_, _, size)| size[0]).fold(0.0, f64::max);
    let row_width = widest.max((area * SHAPE).sqrt().ceil());

    let mut shelf = (0.0, 0.0); // top and height
    let mut column = (0.0, 0.0, 0.0); // left, width, filled height
    for (index, low, size) in boxes {
        let fits_below =
            column.2 > 0.0 && column.2 + size[1] <= shelf.1 + 1e-9 && size[0] <= column.1 + 1e-9;
        if !fits_below {
            let left = column.0 + column.1;
            if left > 0.0 && left + size[0] > row_width + 1e-9 {
                shelf = (shelf.0 + shelf.1, size[1]);
                column = (0.0, size[0], 0.0);
            } else {
                shelf.1 = f64::max(shelf.1, size[1]);
                column = (left, size[0], 0.0);
            }
        }
        let (dx, dy) = (column.0 - low[0], shelf.0 + column.2 - low[1]);
        for place in &mut drawings[index] {
            *place = [place[0] + dx, place[1] + dy];
        }
        column.2 += size[1];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_drawings_do_not_touch() {
        let mut drawings = vec![
            vec![[0.0, 0.0], [9.0, 6.0]],
            vec![[5.0, 5.0], [8.0, 6.0]],
            vec![[0.0, 0.0], [1.0, 0.0]],
        ];
        drawings.extend((0..40).map(|_| vec![[3.0, 3.0]]));
        pack(&mut drawings);
        let boxes: Vec<_> = drawings.iter().map(|places| corners(places)).collect();
        for (index, (low, high)) in boxes.iter().enumerate() {
            for (other_low, other_high) in &boxes[..index] {
                let apart =
                    (0..2).any(|c| low[c] > other_high[c] + 0.5 || other_low[c] > high[c] + 0.5);
                assert!(apart);
            }
        }
    }

    #[test]
    fn drawings_are_turned_level() {
        let mut places: Vec<Point> =
            (0..10).map(|i| [0.1 * f64::from(i % 2), f64::from(i)]).collect();
        turn_and_scale(&mut places);
        let (low, high) = corners(&places);
        assert!(high[0] - low[0] > 3.0 * (high[1] - low[1]));
    }
}
